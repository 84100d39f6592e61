//! A generator of random programs with all constructs of the language, including occasional type errors.

/// A sequence of choices; when it is used up, always the first alternative.
pub struct Choices<'a> {
    left: &'a [u16],
}

/// The wanted type of an expression.
#[derive(Clone, Copy, PartialEq)]
enum Want {
    Number,
    Truth,
    Text,
    Vector,
    List,
    Record,
    Handle,
    Identifier,
    Lambda,
}

const WANTS: [Want; 9] = [
    Want::Number,
    Want::Truth,
    Want::Text,
    Want::Vector,
    Want::List,
    Want::Record,
    Want::Handle,
    Want::Identifier,
    Want::Lambda,
];

const VARIABLES: [(&str, Want, &str); 12] = [
    ("n", Want::Number, "3"),
    ("m", Want::Number, "0.5"),
    ("o", Want::Number, "-7"),
    ("b", Want::Truth, "true"),
    ("s", Want::Text, "\"a\""),
    ("v", Want::Vector, "vec(1, 2, 3)"),
    ("l", Want::List, "[1, 2, 3]"),
    ("e", Want::List, "[]"),
    ("r", Want::Record, "{ a 1, b [2, 3] }"),
    ("h", Want::Handle, "~this"),
    ("k", Want::Identifier, "#2"),
    ("t", Want::Lambda, "Lambda(x, x + m)"),
];

/// The lambdas that every program has, by the names of their variables.
pub const LAMBDAS: [&str; 5] = ["f", "g", "i", "j", "u"];
/// The handlers that every program has.
pub const HANDLERS: [&str; 3] = ["OnA", "OnB", "OnMessage"];
/// The messages that are sent.
pub const MESSAGES: [&str; 4] = ["a", "b", "c", "~callback"];

impl<'a> Choices<'a> {
    /// From these numbers, in order.
    pub fn new(left: &'a [u16]) -> Choices<'a> {
        Choices { left }
    }

    /// Chooses one of this many alternatives.
    pub fn one_of(&mut self, count: usize) -> usize {
        let (first, rest) = self.left.split_first().unwrap_or((&0, &[]));
        self.left = rest;
        usize::from(*first) % count
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.one_of(from.len())]
    }
}

/// Two programs that share some lambdas.
pub fn programs(choices: &mut Choices<'_>) -> [String; 2] {
    let lambdas: Vec<String> = (0..LAMBDAS.len()).map(|number| lambda(choices, number)).collect();
    let first = variables(false) + &lambdas.concat() + &handlers(choices);
    let mut other = lambdas;
    for (number, line) in other.iter_mut().enumerate() {
        if choices.one_of(3) == 2 {
            *line = lambda(choices, number);
        }
    }
    let is_turned = choices.one_of(2) == 1;
    if is_turned {
        other.reverse();
    }
    [first, variables(is_turned) + &other.concat() + &handlers(choices)]
}

fn variables(is_turned: bool) -> String {
    let mut lines = VARIABLES.map(|(name, _, first)| format!("!set {name} {first}\n"));
    if is_turned {
        lines.reverse();
    }
    lines.concat()
}

fn lambda(choices: &mut Choices<'_>, number: usize) -> String {
    let caching = choices.pick(&["Lambda", "Lambda", "Cached Lambda", "Uncached Lambda"]);
    let is_plain = choices.one_of(3) == 2;
    let names = vec!["x".into(), "y".into()];
    let mut scope = Scope { choices, names, lambdas: number, made: 0, is_plain };
    let body = if scope.one_of(6) == 5 {
        scope.body(3)
    } else {
        let want = if scope.one_of(4) == 3 && !is_plain { scope.any() } else { Want::Number };
        // Often long enough to be memoised.
        let body = scope.expression(want, 4);
        if want == Want::Number && !is_plain && scope.one_of(2) == 1 {
            format!("(fold(range(3), 0, Lambda(p, q, p + q)) + {body})")
        } else {
            body
        }
    };
    format!("!set {} {caching}(x, y, {body})\n", LAMBDAS[number])
}

fn handlers(choices: &mut Choices<'_>) -> String {
    let mut lines = String::new();
    for handler in HANDLERS {
        let is_plain = choices.one_of(3) == 2;
        let names = vec!["x".into(), "y".into()];
        let mut scope = Scope { choices, names, lambdas: LAMBDAS.len(), made: 0, is_plain };
        let body = scope.body(3);
        lines += &format!("!set {handler} Lambda(x, y, {body})\n");
    }
    lines
}

struct Scope<'c, 'a> {
    choices: &'c mut Choices<'a>,
    names: Vec<String>,
    /// The number of lambdas that may be called; occasionally all, so that some are recursive.
    lambdas: usize,
    made: usize,
    /// Whether only numbers and truths are used, as kernels require.
    is_plain: bool,
}

impl Scope<'_, '_> {
    fn one_of(&mut self, count: usize) -> usize {
        self.choices.one_of(count)
    }

    fn any(&mut self) -> Want {
        if self.is_plain { Want::Number } else { self.choices.pick(&WANTS) }
    }

    /// A body that is called at once.
    fn body(&mut self, depth: u32) -> String {
        let count = 1 + self.one_of(4);
        let mut lines: Vec<String> = (0..count).map(|_| self.statement(depth)).collect();
        if self.one_of(2) == 1 {
            let want = self.any();
            lines.push(self.expression(want, 2));
        }
        // A list is a body only if it contains an effect.
        format!("[ !set n n, {} ]()", lines.join(", "))
    }

    fn statement(&mut self, depth: u32) -> String {
        if depth == 0 {
            return "!Log(n)".into();
        }
        let number = self.one_of(if self.is_plain { 6 } else { 14 });
        match number {
            0..=4 => {
                let count = if self.is_plain { 4 } else { VARIABLES.len() };
                let (name, want, _) = self.choices.pick(&VARIABLES[..count]);
                let want = if self.one_of(10) == 9 { self.any() } else { want };
                format!("!set {name} {}", self.expression(want, depth))
            }
            5 => {
                let condition = self.expression(Want::Truth, depth);
                let (yes, no) = (self.statement(depth - 1), self.statement(depth - 1));
                if self.one_of(2) == 0 {
                    format!("(if {condition} then {yes})")
                } else {
                    format!("(if {condition} then {yes} else {no})")
                }
            }
            6 => {
                let want = self.any();
                format!("!Log({}, {})", self.expression(want, depth), self.expression(Want::Number, 1))
            }
            7 => {
                let want = self.any();
                let name = self.choices.pick(&["a", "b", "c"]);
                let to = self.expression(Want::Handle, 1);
                format!("!Send({to}, \"{name}\", {})", self.expression(want, depth))
            }
            8 => {
                let how = self.choices.pick(&["After", "Every"]);
                let delay = self.choices.pick(&["0", "1", "5", "n", "\"x\""]);
                format!("!set k !{how}({delay}, [ {} ])", self.statement(depth - 1))
            }
            9 => format!("!Cancel({})", self.expression(Want::Identifier, 1)),
            10 => {
                let name = self.choices.pick(&["\"a\"", "\"c\"", "s", "e"]);
                format!("!EventHandler(~this, {name}, [ {} ])", self.statement(depth - 1))
            }
            11 => format!("!Spawn(\"ship\", Lambda(z, [ {}, !set n z ]()))", self.statement(depth - 1)),
            12 => {
                let (to, from) = (self.choices.pick(&LAMBDAS), self.choices.pick(&LAMBDAS));
                format!("!set {to} {from}")
            }
            _ => {
                let want = self.any();
                self.expression(want, depth)
            }
        }
    }

    fn expression(&mut self, want: Want, depth: u32) -> String {
        if self.one_of(40) == 39 {
            let other = self.any();
            return self.of(other, depth.saturating_sub(1));
        }
        self.of(want, depth)
    }

    fn of(&mut self, want: Want, depth: u32) -> String {
        let Some(less) = depth.checked_sub(1) else { return self.leaf(want) };
        if self.one_of(5) == 0 {
            return self.leaf(want);
        }
        // Expressions of any type.
        let ways = if self.is_plain { 3 } else { 14 };
        match self.one_of(ways) {
            0 => {
                let condition = self.expression(Want::Truth, less);
                let (yes, no) = (self.expression(want, less), self.expression(want, less));
                return format!("(if {condition} then {yes} else {no})");
            }
            1 => {
                let kind = self.any();
                let value = self.expression(kind, less);
                let name = self.name();
                self.names.push(name.clone());
                let body = self.expression(want, less);
                self.names.pop();
                return format!("(let {name} = {value} in {body})");
            }
            2 if !self.is_plain => {
                let list = self.expression(Want::List, less);
                let index = self.choices.pick(&["#0", "#1", "#7", "k", "n"]);
                return format!("{list}[{index}]");
            }
            3 => {
                let body = self.with_name(want, less);
                let given = self.expression(Want::Number, less);
                return format!("(Lambda({body}))({given})");
            }
            _ => {}
        }
        let number = |scope: &mut Self| scope.expression(Want::Number, less);
        let vector = |scope: &mut Self| scope.expression(Want::Vector, less);
        let list = |scope: &mut Self| scope.expression(Want::List, less);
        match want {
            Want::Number => match self.one_of(if self.is_plain { 10 } else { 20 }) {
                0..=3 => {
                    let sign = self.choices.pick(&["+", "-", "*", "/", "%"]);
                    format!("({} {sign} {})", number(self), number(self))
                }
                4 => format!("(-({}))", number(self)),
                5 | 6 => {
                    let last = if self.one_of(8) == 7 { LAMBDAS.len() } else { self.lambdas };
                    let name = if last == 0 { "t" } else { LAMBDAS[self.one_of(last)] };
                    format!("{name}({}, {})", number(self), number(self))
                }
                7 => {
                    let of = self.choices.pick(&["abs", "floor", "sqrt", "sin", "round", "sign"]);
                    format!("{of}({})", number(self))
                }
                8 => {
                    let of = self.choices.pick(&["min", "max", "pow"]);
                    format!("{of}({}, {})", number(self), number(self))
                }
                9 => {
                    let of = self.choices.pick(&["clamp", "lerp"]);
                    format!("{of}({}, {}, {})", number(self), number(self), number(self))
                }
                10 => format!("{}({})", self.choices.pick(&["count", "sum", "first", "last"]), list(self)),
                11 => {
                    let part = self.choices.pick(&["x", "y", "z"]);
                    format!("{}.{part}", vector(self))
                }
                12 => {
                    let part = self.choices.pick(&["n", "m", "o", "k", "missing"]);
                    format!("{}.{part}", self.expression(Want::Handle, less))
                }
                13 => format!("{}.a", self.expression(Want::Record, less)),
                14 => {
                    let (over, first) = (list(self), number(self));
                    let names = [self.name(), self.name()];
                    self.names.extend(names.clone());
                    let body = number(self);
                    self.names.truncate(self.names.len() - 2);
                    format!("fold({over}, {first}, Lambda({}, {}, {body}))", names[0], names[1])
                }
                15 => format!("dot({}, {})", vector(self), vector(self)),
                16 => format!("length({})", vector(self)),
                17 => format!("number({})", self.expression(Want::Identifier, less)),
                18 => "[ !Random(0, 10) ]()".into(),
                _ => format!("nearest({}, Lambda({}))", list(self), self.with_name(Want::Number, less)),
            },
            Want::Truth => match self.one_of(if self.is_plain { 4 } else { 9 }) {
                0 | 1 => {
                    let sign = self.choices.pick(&["<", ">", "<=", ">=", "=", "<>"]);
                    format!("({} {sign} {})", number(self), number(self))
                }
                2 => {
                    let word = self.choices.pick(&["and", "or"]);
                    format!("({} {word} {})", self.of(want, less), self.of(want, less))
                }
                3 => format!("(not {})", self.of(want, less)),
                4 | 5 => {
                    let kind = self.any();
                    let sign = self.choices.pick(&["=", "<>"]);
                    format!("({} {sign} {})", self.of(kind, less), self.of(kind, less))
                }
                6 => {
                    let of = self.choices.pick(&["any", "all"]);
                    format!("{of}({}, Lambda({}))", list(self), self.with_name(Want::Truth, less))
                }
                7 => format!("contains({}, {})", list(self), number(self)),
                _ => "[ !Chance(0.5) ]()".into(),
            },
            Want::Text => {
                let kind = self.any();
                format!("kind({})", self.expression(kind, less))
            }
            Want::Vector => match self.one_of(7) {
                0 => format!("({} + {})", vector(self), vector(self)),
                1 => format!("({} - {})", vector(self), vector(self)),
                2 => format!("({} * {})", vector(self), number(self)),
                3 => format!("({} / {})", vector(self), number(self)),
                4 => format!("cross({}, {})", vector(self), vector(self)),
                5 => format!("normal({})", vector(self)),
                _ => format!("vec({}, {}, {})", number(self), number(self), number(self)),
            },
            Want::List => match self.one_of(10) {
                0 => format!("[{}, {}]", number(self), number(self)),
                1 => format!("map({}, Lambda({}))", list(self), self.with_name(Want::Number, less)),
                2 => format!("filter({}, Lambda({}))", list(self), self.with_name(Want::Truth, less)),
                3 => format!("range(clamp({}, 0, 9))", number(self)),
                4 => format!("join({}, {})", list(self), list(self)),
                5 => format!("reverse({})", list(self)),
                6 => format!("sort({}, Lambda({}))", list(self), self.with_name(Want::Number, less)),
                7 => {
                    let kind = self.any();
                    format!("[{}, {}]", self.expression(kind, less), list(self))
                }
                8 => format!("{}.{}", self.expression(Want::Handle, less), self.choices.pick(&["l", "e"])),
                _ => format!("{}.b", self.expression(Want::Record, less)),
            },
            Want::Record => match self.one_of(4) {
                0 => {
                    let kind = self.any();
                    format!("{{ b {}, a {} }}", self.expression(kind, less), number(self))
                }
                1 => {
                    let name = self.choices.pick(&["\"a\"", "\"c\"", "s"]);
                    format!("with({}, {name}, {})", self.expression(Want::Record, less), number(self))
                }
                2 => format!("text(s, {})", self.expression(Want::Record, less)),
                _ => format!("{}.r", self.expression(Want::Handle, less)),
            },
            Want::Handle => self.leaf(want),
            Want::Identifier => match self.one_of(3) {
                0 => format!("(k + {})", self.of(want, less)),
                1 => format!("identifier({})", number(self)),
                _ => format!("(k - {})", self.of(want, less)),
            },
            Want::Lambda => format!("Lambda({})", self.with_name(Want::Number, less)),
        }
    }

    /// A new parameter, and an expression that may use it.
    fn with_name(&mut self, want: Want, depth: u32) -> String {
        let name = self.name();
        self.names.push(name.clone());
        let body = self.expression(want, depth);
        self.names.pop();
        format!("{name}, {body}")
    }

    fn name(&mut self) -> String {
        self.made += 1;
        format!("w{}", self.made)
    }

    fn leaf(&mut self, want: Want) -> String {
        if self.one_of(3) == 0 && want != Want::Lambda {
            let number = self.names.len();
            let name = self.one_of(number);
            return self.names[number - 1 - name].clone();
        }
        let texts: &[&str] = match want {
            Want::Number => &["n", "m", "o", "0", "1", "2", "0.5", "-3", "1e300", "~this.n"],
            Want::Truth => &["b", "true", "false"],
            Want::Text => &["s", "\"a\"", "\"b\""],
            Want::Vector => &["v", "vec(0, 1, 2)"],
            Want::List => &["l", "e", "[]", "[3, 1, 2]", "range(4)"],
            Want::Record => &["r", "{ a 2 }"],
            Want::Handle => &["~this", "h", "x", "~sender", "nothing"],
            Want::Identifier => &["k", "#0", "#1", "#-1"],
            Want::Lambda => &["t", "f", "g", "i", "Lambda(x, x + m)", "Lambda(x, x + m)"],
        };
        self.choices.pick(texts).into()
    }
}
