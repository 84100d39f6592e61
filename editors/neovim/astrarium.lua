-- LScript, headers and tags in Neovim 0.7 and newer: filetype, comments, colours, and the language server `astrarium lsp`.
--
--   require('astrarium').setup()
--   require('astrarium').setup({ command = { 'mygame', 'lsp' }, on_attach = function(client, buffer) … end })
--
-- A file counts as a tag, whatever its extension, if its first line that is neither empty nor a comment begins with `@` and a
-- folder above it is called `tags`, or has a folder `tags` or `.astrarium` in it.

local M = {}

local FILETYPE = 'lscript'
local EXTENSIONS = { header = true, notes = true }
local DEPTH_MAX = 64
-- The most lines of comments that are looked through for the head of a tag.
local HEAD_LINES = 256

local settings = { command = { 'astrarium', 'lsp' } }

local function is_folder(path)
  return vim.fn.isdirectory(path) == 1
end

-- Calls `ask` with a folder and those above it until it gives something.
local function upwards(folder, ask)
  for _ = 1, DEPTH_MAX do
    local found = ask(folder)
    if found then
      return found
    end
    local above = vim.fn.fnamemodify(folder, ':h')
    if above == folder or above == '' then
      return nil
    end
    folder = above
  end
end

local function is_in_tree(path)
  return upwards(vim.fn.fnamemodify(path, ':p:h'), function(folder)
    local is_tags = vim.fn.fnamemodify(folder, ':t') == 'tags'
    return is_tags or is_folder(folder .. '/.astrarium') or is_folder(folder .. '/tags') or nil
  end) == true
end

-- Whether the first line that is neither empty nor a comment begins with `@`.
local function begins_as_tag(buffer)
  for _, line in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, HEAD_LINES, false)) do
    if not line:match('^%s*$') and not line:match('^%s*//') then
      return line:match('^%s*@[%a_]') ~= nil
    end
  end
  return false
end

-- Whether a buffer is a header, notes or a tag.
function M.is_ours(buffer)
  local path = vim.api.nvim_buf_get_name(buffer)
  if EXTENSIONS[vim.fn.fnamemodify(path, ':e')] then
    return true
  end
  return path ~= '' and begins_as_tag(buffer) and is_in_tree(path)
end

-- The folder the server is started in: the one that holds `tags`, `.astrarium` or `.git`, or else the file's own.
function M.root(path)
  local folder = vim.fn.fnamemodify(path, ':p:h')
  local found = upwards(folder, function(above)
    for _, name in ipairs({ '.astrarium', 'tags', '.git' }) do
      if is_folder(above .. '/' .. name) then
        return above
      end
    end
  end)
  return found or folder
end

local function colours()
  if vim.b.current_syntax then
    return
  end
  vim.cmd([[
    syntax case match
    syntax match lscriptClass /^@\h\w*\(\s\+\d\+\)\?/
    syntax match lscriptEffect /!\h\w*/
    syntax match lscriptSet /!\c\<set\>/ nextgroup=lscriptField skipwhite
    syntax match lscriptField /\h\w*/ contained
    syntax match lscriptObject /\~\h\w*/
    syntax match lscriptNumber /#-\?\d\+\|\<\d\+\(\.\d\+\)\?\([eE][+-]\?\d\+\)\?\>/
    syntax region lscriptString start=/"/ skip=/""/ end=/"/ oneline
    syntax case ignore
    syntax keyword lscriptKeyword if then else let in and or not do
    syntax keyword lscriptLambda lambda cached uncached
    syntax keyword lscriptConstant true false nothing
    syntax match lscriptComment "//.*$" contains=lscriptNote
    syntax match lscriptNote "//?.*$"
    highlight default link lscriptClass Type
    highlight default link lscriptEffect Function
    highlight default link lscriptSet Statement
    highlight default link lscriptField Identifier
    highlight default link lscriptObject Special
    highlight default link lscriptNumber Number
    highlight default link lscriptString String
    highlight default link lscriptKeyword Keyword
    highlight default link lscriptLambda Keyword
    highlight default link lscriptConstant Constant
    highlight default link lscriptComment Comment
    highlight default link lscriptNote SpecialComment
  ]])
  vim.b.current_syntax = FILETYPE
end

-- The servers that run, by their roots.
local running = {}

local function start(buffer)
  local root = M.root(vim.api.nvim_buf_get_name(buffer))
  local config = {
    name = 'astrarium',
    cmd = settings.command,
    root_dir = root,
    workspace_folders = { { uri = vim.uri_from_fname(root), name = root } },
    capabilities = settings.capabilities or vim.lsp.protocol.make_client_capabilities(),
    on_attach = settings.on_attach,
  }
  if vim.lsp.start then
    vim.lsp.start(config, { bufnr = buffer })
    return
  end
  -- Neovim 0.7 keeps no list of servers by their roots.
  config.on_exit = function()
    running[root] = nil
  end
  running[root] = running[root] or vim.lsp.start_client(config)
  if running[root] then
    vim.lsp.buf_attach_client(buffer, running[root])
  end
end

function M.setup(given)
  settings = vim.tbl_extend('force', settings, given or {})
  local group = vim.api.nvim_create_augroup('astrarium', { clear = true })
  vim.api.nvim_create_autocmd({ 'BufRead', 'BufNewFile' }, {
    group = group,
    callback = function(event)
      if M.is_ours(event.buf) then
        vim.bo[event.buf].filetype = FILETYPE
      end
    end,
  })
  vim.api.nvim_create_autocmd('FileType', {
    group = group,
    pattern = FILETYPE,
    callback = function(event)
      vim.bo[event.buf].commentstring = '// %s'
      vim.bo[event.buf].omnifunc = 'v:lua.vim.lsp.omnifunc'
      vim.bo[event.buf].shiftwidth = 4
      vim.bo[event.buf].expandtab = true
      colours()
      start(event.buf)
    end,
  })
end

return M
