-- What `test` runs within Neovim: opens a tag, waits for the server, and looks at its answers.

local folder = vim.fn.getcwd()

local function fail(what)
  io.stdout:write('failed: ' .. what .. '\n')
  vim.cmd('cquit 1')
end

local function check(what, is_so, found)
  if not is_so then
    fail(what .. ', found ' .. vim.inspect(found))
  end
end

local function main()
  package.path = vim.env.EDITOR_FOLDER .. '/?.lua;' .. package.path
  require('astrarium').setup({ command = { vim.env.ASTRARIUM, 'lsp' } })
  vim.cmd('edit ' .. folder .. '/tags/a.ship')
  local buffer = vim.api.nvim_get_current_buf()
  check('a file that begins with @ in a tree is of our type', vim.bo[buffer].filetype == 'lscript', vim.bo[buffer].filetype)

  vim.cmd('split ' .. folder .. '/tags/b.ship')
  check('a tag that begins with a comment is of our type', vim.bo.filetype == 'lscript', vim.bo.filetype)
  vim.cmd('bwipeout')

  local is_told = vim.wait(20000, function()
    return #vim.diagnostic.get(buffer) > 0
  end, 20)
  local told = vim.diagnostic.get(buffer)
  check('an error is reported', is_told and told[1].message:find('hlul', 1, true) and told[1].lnum == 3, told)

  local function ask(method, line, character, more)
    local params = {
      textDocument = { uri = vim.uri_from_bufnr(buffer) },
      position = { line = line, character = character },
    }
    local answers = vim.lsp.buf_request_sync(buffer, method, vim.tbl_extend('force', params, more or {}), 20000)
    for _, answer in pairs(answers or {}) do
      if answer.error then
        fail(method .. ': ' .. answer.error.message)
      end
      return answer.result
    end
    fail(method .. ' got no answer')
  end

  local hover = ask('textDocument/hover', 1, 6)
  check('hover shows the help', hover and hover.contents.value:find('How heavy it is.', 1, true), hover)
  local places = ask('textDocument/definition', 2, 16)
  check('a reference leads to its tag', #places == 1 and places[1].uri:find('weapons/laser.weapon', 1, true), places)
  local uses = ask('textDocument/references', 2, 16, { context = { includeDeclaration = false } })
  check('both ships refer to the weapon', #uses == 2, uses)
  local offers = ask('textDocument/completion', 2, 13)
  check('the weapon is offered', #offers.items == 1 and offers.items[1].label == 'weapons/laser.weapon', offers)

  -- After a change the error disappears.
  vim.api.nvim_buf_set_lines(buffer, 3, 4, false, { '!set crew 3' })
  local is_gone = vim.wait(20000, function()
    return #vim.diagnostic.get(buffer) == 0
  end, 20)
  check('a corrected error disappears', is_gone, vim.diagnostic.get(buffer))

  -- Formatting puts the values under one another.
  local edits = ask('textDocument/formatting', 0, 0, { options = { tabSize = 4, insertSpaces = true } })
  local encoding = vim.lsp.get_client_by_id(next(vim.lsp.buf_get_clients(buffer))).offset_encoding
  vim.lsp.util.apply_text_edits(edits, buffer, encoding)
  local lines = vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
  check('the text is formatted', lines[4] == '!set crew   3', lines)
  vim.cmd('silent write')

  -- A tag is renamed: the file moves, and both ships refer to its new path.
  local edit = ask('textDocument/rename', 2, 16, { newName = 'weapons/blaster' })
  vim.lsp.util.apply_workspace_edit(edit, encoding)
  check('the file has moved', vim.fn.filereadable(folder .. '/tags/weapons/blaster.weapon') == 1, edit)
  vim.cmd('silent wall')
  for _, name in ipairs({ 'a.ship', 'b.ship' }) do
    local text = table.concat(vim.fn.readfile(folder .. '/tags/' .. name), '\n')
    check(name .. ' refers to the new path', text:find('"weapons/blaster.weapon"', 1, true), text)
  end
end

local is_done, wrong = xpcall(main, debug.traceback)
if not is_done then
  fail(wrong)
end
io.stdout:write('Neovim was served: diagnostics, hover, definition, references, completion, formatting, rename\n')
vim.cmd('qall!')
