//! The table of built-ins: name, signature, help, cost, implementation, and an example that is a test. All of them are
//! pure; queries and effects are defined by the world.

use core::ops::Range;

use base::number::double as number;
use base::{StringId, Vec3};

use crate::machine::{Arguments, Builtin, Halt, Machine, Work};
use crate::value::{Kind, Value};

/// The number and the row of a built-in.
pub fn find(name: &str) -> Option<(u32, &'static Builtin)> {
    let found = BUILTINS.iter().position(|builtin| builtin.name == name)?;
    Some((found as u32, &BUILTINS[found]))
}

/// The names of all built-ins.
pub fn names<'a>() -> impl Iterator<Item = &'a str> {
    BUILTINS.iter().map(|builtin| builtin.name)
}

/// The text of a string that only built-ins produce, and which the source need not contain.
pub fn word(id: StringId) -> Option<&'static str> {
    use Kind::{Handle, Identifier, Lambda, List, Nothing, Number, Record, String, Truth, Vector};
    let kinds = [Nothing, Number, Identifier, Truth, String, Vector, Handle, Lambda, List, Record];
    kinds.map(Kind::name).into_iter().chain([TEXT, WITH]).find(|word| StringId::new(word) == id)
}

/// The field of a localised text that holds its message id.
pub const TEXT: &str = "text";

/// The field of a localised text that holds its parameters.
pub const WITH: &str = "with";

macro_rules! rows {
    ($($name:literal $signature:literal $arguments:expr, $cost:expr, $work:expr, $help:literal, $example:literal => $result:literal;)*) => {
        /// All built-ins, by number.
        pub static BUILTINS: &[Builtin] = &[$(Builtin {
            name: $name,
            signature: $signature,
            help: $help,
            example: ($example, $result),
            arguments: $arguments,
            cost: $cost,
            work: $work,
        }),*];
    };
}

use Work::{Any, Binary, Look, Ternary, Unary};

rows! {
    "abs" "abs(number) number" (1, 1), 1, Unary(number::abs), "The number without its sign.", "abs(-3)" => "3";
    "floor" "floor(number) number" (1, 1), 1, Unary(number::floor), "The next whole number below.", "floor(-1.5)" => "-2";
    "ceil" "ceil(number) number" (1, 1), 1, Unary(number::ceil), "The next whole number above.", "ceil(1.2)" => "2";
    "round" "round(number) number" (1, 1), 1, Unary(number::round), "The nearest whole number; halves go away from zero.", "round(2.5)" => "3";
    "sign" "sign(number) number" (1, 1), 1, Unary(sign), "-1, 0 or 1.", "sign(-7)" => "-1";
    "sqrt" "sqrt(number) number" (1, 1), 4, Unary(square_root), "The square root; of a negative number, 0.", "sqrt(9)" => "3";
    "sin" "sin(number) number" (1, 1), 20, Unary(number::sin), "The sine of an angle in radians.", "sin(0)" => "0";
    "cos" "cos(number) number" (1, 1), 20, Unary(number::cos), "The cosine of an angle in radians.", "cos(0)" => "1";
    "tan" "tan(number) number" (1, 1), 24, Unary(number::tan), "The tangent of an angle in radians.", "tan(0)" => "0";
    "exp" "exp(number) number" (1, 1), 20, Unary(number::exp), "e to this power.", "exp(0)" => "1";
    "ln" "ln(number) number" (1, 1), 20, Unary(logarithm), "The natural logarithm; of zero and below, 0.", "ln(1)" => "0";
    "min" "min(number, number) number" (2, 2), 1, Binary(number::min), "The smaller of two.", "min(2, 3)" => "2";
    "max" "max(number, number) number" (2, 2), 1, Binary(number::max), "The larger of two.", "max(2, 3)" => "3";
    "pow" "pow(number, number) number" (2, 2), 30, Binary(number::pow), "The first to the power of the second.", "pow(2, 10)" => "1024";
    "atan2" "atan2(number, number) number" (2, 2), 24, Binary(number::atan2), "The angle of the direction with this y and x.", "atan2(0, 1)" => "0";
    "pi" "pi() number" (0, 0), 1, Any(pi), "Half a turn in radians.", "round(pi() * 100)" => "314";
    "clamp" "clamp(number, number, number) number" (3, 3), 3, Ternary(clamp), "The number, clamped to the range from the second to the third.", "clamp(12, 0, 10)" => "10";
    "lerp" "lerp(number, number, number) number" (3, 3), 3, Ternary(lerp), "Linear interpolation from the first to the second: 0 gives the first, 1 the second.", "lerp(10, 20, 0.5)" => "15";
    "vec" "vec(number, number, number?) vector" (2, 3), 3, Any(vector), "A vector; without its third number one of a plane.", "vec(1, 2, 3).y" => "2";
    "dot" "dot(vector, vector) number" (2, 2), 3, Any(dot), "The dot product.", "dot(vec(1, 2, 3), vec(1, 1, 1))" => "6";
    "cross" "cross(vector, vector) vector" (2, 2), 3, Any(cross), "The cross product.", "cross(vec(1, 0, 0), vec(0, 1, 0)).z" => "1";
    "length" "length(vector) number" (1, 1), 5, Any(length), "The length of a vector.", "length(vec(3, 4, 0))" => "5";
    "distance" "distance(vector, vector) number" (2, 2), 5, Any(distance), "The distance between two points.", "distance(vec(1, 1, 0), vec(4, 5, 0))" => "5";
    "normal" "normal(vector) vector" (1, 1), 6, Any(normal), "The vector normalised to length 1; zero stays zero.", "normal(vec(0, 2, 0)).y" => "1";
    "angle_between" "angle_between(vector, vector) number" (2, 2), 24, Any(angle_between), "The angle between two directions in radians; of a zero vector, 0.", "angle_between(vec(2, 0, 0), vec(0, 3, 0)) = pi() / 2" => "true";
    "number" "number(identifier) number" (1, 1), 1, Any(to_number), "An identifier as a number.", "number(#3) + 1" => "4";
    "identifier" "identifier(number) identifier" (1, 1), 1, Any(to_identifier), "A number as an identifier, rounded down.", "identifier(2.7)" => "#2";
    "value" "value(any) any" (1, 1), 4, Any(value_of), "The value of a formula: a lambda is called without arguments, any other value is returned as it is.", "value(Lambda(2 + 3))" => "5";
    "kind" "kind(any) string" (1, 1), 1, Any(kind), "The kind of a value, as a string.", "kind(3) = \"number\"" => "true";
    "count" "count(list) number" (1, 1), 2, Any(count), "The number of elements.", "count([4, 5])" => "2";
    "first" "first(list of A) A" (1, 1), 2, Any(first), "The first element; of an empty list, nothing.", "first([4, 5])" => "4";
    "last" "last(list of A) A" (1, 1), 2, Any(last), "The last element; of an empty list, nothing.", "last([4, 5])" => "5";
    "sum" "sum(list of number) number" (1, 1), 4, Any(sum), "The sum of all numbers, added from the first to the last.", "sum([1, 2, 3])" => "6";
    "range" "range(number) list of number" (1, 1), 4, Any(range), "The numbers from 0 up to this one, without it.", "range(3)" => "[0, 1, 2]";
    "join" "join(list of A, list of A) list of A" (2, 2), 4, Any(join), "The elements of both, one list after the other.", "join([1], [2, 3])" => "[1, 2, 3]";
    "take" "take(list of A, number) list of A" (2, 2), 4, Any(take), "The given number of elements from the start of the list.", "take([1, 2, 3], 2)" => "[1, 2]";
    "skip" "skip(list of A, number) list of A" (2, 2), 4, Any(skip), "The list without the given number of elements at its start.", "skip([1, 2, 3], 2)" => "[3]";
    "put" "put(list of A, identifier, A) list of A" (3, 3), 4, Any(put), "The list with the element at this index replaced; unchanged if the index is out of range.", "put([1, 2, 3], #1, 9)" => "[1, 9, 3]";
    "keys" "keys(record) list of string" (1, 1), 4, Any(keys), "The names of the fields of a record, in a fixed order that is not that of the text.", "keys({ hull 3 })" => "[\"hull\"]";
    "has" "has(record, string) truth" (2, 2), 4, Any(has), "Whether a record has a field of this name.", "has({ hull 3 }, \"hull\")" => "true";
    "smallest" "smallest(list of number) number" (1, 1), 4, Any(smallest), "The smallest number; of an empty list, nothing.", "smallest([3, 1, 2])" => "1";
    "largest" "largest(list of number) number" (1, 1), 4, Any(largest), "The largest number; of an empty list, nothing.", "largest([3, 1, 2])" => "3";
    "reverse" "reverse(list of A) list of A" (1, 1), 4, Any(reverse), "The elements from the last to the first.", "reverse([1, 2, 3])" => "[3, 2, 1]";
    "contains" "contains(list, any) truth" (2, 2), 4, Any(contains), "Whether an element equals this value.", "contains([1, 2], 2)" => "true";
    "map" "map(list of A, Lambda(A, B)) list of B" (2, 2), 6, Any(map), "The results of the lambda for each element.", "map([1, 2], Lambda(x, x * 10))" => "[10, 20]";
    "filter" "filter(list of A, Lambda(A, truth)) list of A" (2, 2), 6, Any(filter), "The elements for which the lambda gives true.", "filter([1, 5, 2], Lambda(x, x > 1))" => "[5, 2]";
    "fold" "fold(list of A, B, Lambda(B, A, B)) B" (3, 3), 4, Any(fold), "Calls the lambda with the result so far and each element; the second argument is the initial result.", "fold([1, 2, 3], 0, Lambda(total, x, total + x))" => "6";
    "any" "any(list of A, Lambda(A, truth)) truth" (2, 2), 4, Any(any), "Whether the lambda gives true for some element.", "any([1, 2], Lambda(x, x = 2))" => "true";
    "all" "all(list of A, Lambda(A, truth)) truth" (2, 2), 4, Any(all), "Whether the lambda gives true for every element.", "all([1, 2], Lambda(x, x = 2))" => "false";
    "find" "find(list of A, Lambda(A, truth)) A" (2, 2), 4, Any(find_first), "The first element for which the lambda gives true, or nothing.", "find([1, 5, 7], Lambda(x, x > 2))" => "5";
    "sort" "sort(list of A, Lambda(A, number)) list of A" (2, 2), 10, Any(sort), "The elements sorted by the number that the lambda gives, smallest first; the sort is stable.", "sort([3, 1, 2], Lambda(x, x))" => "[1, 2, 3]";
    "nearest" "nearest(list of A, Lambda(A, number)) A" (2, 2), 4, Any(nearest), "The element for which the lambda gives the smallest number; the first of equal ones.", "nearest([5, 2, 9], Lambda(x, abs(x - 3)))" => "2";
    "with" "with(record, string, any) record" (3, 3), 8, Any(with), "The record with this field set to this value.", "with({ a 1 }, \"b\", 2).b" => "2";
    "text" "text(string, record?) record" (1, 2), 8, Any(text), "A text for people: its id and its parameters, which may be left out. It is shown in the language of the player who reads it.", "text(\"ship.hit\", { damage 3 })" => "{ text \"ship.hit\", with { damage 3 } }";
    "is_living" "is_living(handle) truth" (1, 1), 2, Look(is_living), "Whether an object still exists.", "is_living(nothing)" => "false";
}

fn sign(value: f64) -> f64 {
    f64::from(i8::from(value > 0.0) - i8::from(value < 0.0))
}

fn square_root(value: f64) -> f64 {
    if value > 0.0 { number::sqrt(value) } else { 0.0 }
}

fn logarithm(value: f64) -> f64 {
    if value > 0.0 { number::ln(value) } else { 0.0 }
}

fn clamp(value: f64, lower: f64, upper: f64) -> f64 {
    number::max(number::min(value, upper), lower)
}

fn lerp(from: f64, to: f64, way: f64) -> f64 {
    from + (to - from) * way
}

fn vector(machine: &mut Machine<'_>, arguments: Arguments<'_>) -> Result<Value, Halt> {
    let mut values = arguments.values;
    if values[2] == Value::NOTHING {
        values[2] = Value::number(0.0);
    }
    let [x, y, z] = machine.numbers(&values).map(|number: f64| number as f32);
    Ok(Value::vector(Vec3::new(x, y, z)))
}

fn dot(machine: &mut Machine<'_>, arguments: Arguments<'_>) -> Result<Value, Halt> {
    let [left, right] = machine.vectors(&arguments.values);
    Ok(Value::number(f64::from(left.dot(right))))
}

fn cross(machine: &mut Machine<'_>, arguments: Arguments<'_>) -> Result<Value, Halt> {
    let [left, right] = machine.vectors(&arguments.values);
    Ok(Value::vector(left.cross(right)))
}

fn length(machine: &mut Machine<'_>, arguments: Arguments<'_>) -> Result<Value, Halt> {
    let [of] = machine.vectors(&arguments.values);
    Ok(Value::number(f64::from(of.length())))
}

fn distance(machine: &mut Machine<'_>, arguments: Arguments<'_>) -> Result<Value, Halt> {
    let [left, right] = machine.vectors(&arguments.values);
    Ok(Value::number(f64::from(left.distance(right))))
}

fn normal(machine: &mut Machine<'_>, arguments: Arguments<'_>) -> Result<Value, Halt> {
    let [of] = machine.vectors(&arguments.values);
    Ok(Value::vector(of.normal()))
}

fn angle_between(machine: &mut Machine<'_>, arguments: Arguments<'_>) -> Result<Value, Halt> {
    let [left, right] = machine.vectors(&arguments.values);
    // Normalised first, so that no product of lengths overflows; by the tangent, so that small angles are exact.
    let (left, right) = (left.normal(), right.normal());
    Ok(Value::number(number::atan2(f64::from(left.cross(right).length()), f64::from(left.dot(right)))))
}

fn is_living(machine: &mut Machine<'_>, arguments: Arguments<'_>) -> Result<Value, Halt> {
    let value = arguments.values[0];
    let is_living = match value.as_handle() {
        Some((handle, array)) => machine.is_living(handle, array),
        None if value == Value::NOTHING => false,
        None => machine.wrong(Kind::Handle, value, false),
    };
    Ok(Value::truth(is_living))
}

fn to_number(machine: &mut Machine<'_>, arguments: Arguments<'_>) -> Result<Value, Halt> {
    let value = arguments.values[0];
    let number = value.as_number().or_else(|| value.as_identifier().map(f64::from));
    Ok(Value::number(number.unwrap_or_else(|| machine.wrong(Kind::Identifier, value, 0.0))))
}

fn to_identifier(machine: &mut Machine<'_>, arguments: Arguments<'_>) -> Result<Value, Halt> {
    let value = arguments.values[0];
    if value.as_identifier().is_some() {
        return Ok(value);
    }
    let [number] = machine.numbers(&arguments.values);
    Ok(Value::identifier(number::floor(number) as i32))
}

fn kind(_: &mut Machine<'_>, arguments: Arguments<'_>) -> Result<Value, Halt> {
    Ok(Value::string(StringId::new(arguments.values[0].kind().name())))
}

fn count(machine: &mut Machine<'_>, arguments: Arguments<'_>) -> Result<Value, Halt> {
    Ok(Value::number(machine.list(arguments.values[0]).len() as f64))
}

fn first(machine: &mut Machine<'_>, arguments: Arguments<'_>) -> Result<Value, Halt> {
    Ok(machine.list(arguments.values[0]).first().copied().unwrap_or_default())
}

fn last(machine: &mut Machine<'_>, arguments: Arguments<'_>) -> Result<Value, Halt> {
    Ok(machine.list(arguments.values[0]).last().copied().unwrap_or_default())
}

fn sum(machine: &mut Machine<'_>, arguments: Arguments<'_>) -> Result<Value, Halt> {
    let mut sum = 0.0;
    each_number(machine, arguments.values[0], |number| sum += number)?;
    Ok(Value::number(sum))
}

fn smallest(machine: &mut Machine<'_>, arguments: Arguments<'_>) -> Result<Value, Halt> {
    let mut smallest: Option<f64> = None;
    each_number(machine, arguments.values[0], |next| {
        smallest = Some(smallest.map_or(next, |smallest| number::min(smallest, next)))
    })?;
    Ok(smallest.map_or(Value::NOTHING, Value::number))
}

fn largest(machine: &mut Machine<'_>, arguments: Arguments<'_>) -> Result<Value, Halt> {
    let mut largest: Option<f64> = None;
    each_number(machine, arguments.values[0], |next| {
        largest = Some(largest.map_or(next, |largest| number::max(largest, next)))
    })?;
    Ok(largest.map_or(Value::NOTHING, Value::number))
}

/// Folds the numbers of a list, in order. Other elements count as zero, with a complaint.
fn each_number(machine: &mut Machine<'_>, list: Value, mut work: impl FnMut(f64)) -> Result<(), Halt> {
    let count = machine.list(list).len();
    machine.burn(count as u64)?;
    for index in 0..count {
        let value = machine.list(list)[index];
        work(value.as_number().unwrap_or_else(|| machine.wrong(Kind::Number, value, 0.0)));
    }
    Ok(())
}

fn pi(_: &mut Machine<'_>, _: Arguments<'_>) -> Result<Value, Halt> {
    Ok(Value::number(core::f64::consts::PI))
}

fn value_of(machine: &mut Machine<'_>, arguments: Arguments<'_>) -> Result<Value, Halt> {
    let value = arguments.values[0];
    if value.as_lambda().is_some() { machine.ask(arguments.stack, value, &[]) } else { Ok(value) }
}

fn take(machine: &mut Machine<'_>, arguments: Arguments<'_>) -> Result<Value, Halt> {
    part(machine, &arguments, |count, wanted| 0..wanted.min(count))
}

fn skip(machine: &mut Machine<'_>, arguments: Arguments<'_>) -> Result<Value, Halt> {
    part(machine, &arguments, |count, wanted| wanted.min(count)..count)
}

/// A part of the list in the first argument, selected by its length and the second argument.
fn part(
    machine: &mut Machine<'_>,
    arguments: &Arguments<'_>,
    choose: fn(usize, usize) -> Range<usize>,
) -> Result<Value, Halt> {
    let [list, wanted, ..] = arguments.values;
    let wanted = wanted.as_number().unwrap_or_else(|| machine.wrong(Kind::Number, wanted, 0.0));
    let chosen = choose(machine.list(list).len(), number::max(wanted, 0.0) as usize);
    machine.burn(chosen.len() as u64)?;
    machine.build(|machine| {
        for index in chosen {
            machine.push(machine.list(list)[index])?;
        }
        Ok(())
    })
}

/// Replaces a part: an element of a list, a field of a record or of a vector. `!set xs[#1] v` is compiled to it.
fn put(machine: &mut Machine<'_>, arguments: Arguments<'_>) -> Result<Value, Halt> {
    let [whole, place, value, _] = arguments.values;
    if place.as_string().is_some() {
        return put_field(machine, whole, place, value);
    }
    if whole.as_list().is_none() {
        return Ok(machine.wrong(Kind::List, whole, whole));
    }
    let place = machine.index_of(place);
    let count = machine.list(whole).len();
    machine.burn(count as u64)?;
    machine.build(|machine| {
        for index in 0..count {
            let is_it = usize::try_from(place) == Ok(index);
            machine.push(if is_it { value } else { machine.list(whole)[index] })?;
        }
        Ok(())
    })
}

/// A record or a vector with one field replaced. Nothing becomes a record; other values stay as they are.
fn put_field(machine: &mut Machine<'_>, whole: Value, name: Value, value: Value) -> Result<Value, Halt> {
    if let Some(mut vector) = whole.as_vector() {
        let axes = [("x", &mut vector.x), ("y", &mut vector.y), ("z", &mut vector.z)];
        let axis = axes.into_iter().find(|(axis, _)| name.as_string() == Some(StringId::new(axis)));
        return Ok(match (axis, value.as_number()) {
            (Some((_, axis)), Some(number)) => {
                *axis = number as f32;
                Value::vector(vector)
            }
            (None, _) => machine.refuse("a vector's field x, y or z", name, whole),
            (_, None) => machine.wrong(Kind::Number, value, whole),
        });
    }
    if whole.as_record().is_none() && whole != Value::NOTHING {
        return Ok(machine.wrong(Kind::Record, whole, whole));
    }
    with_field(machine, whole, name, value)
}

fn keys(machine: &mut Machine<'_>, arguments: Arguments<'_>) -> Result<Value, Halt> {
    let record = record_in(machine, &arguments);
    let count = machine.field_count(record);
    machine.burn(count as u64)?;
    machine.build(|machine| (0..count).try_for_each(|index| machine.push(machine.field_at(record, index)[0])))
}

fn has(machine: &mut Machine<'_>, arguments: Arguments<'_>) -> Result<Value, Halt> {
    let record = record_in(machine, &arguments);
    let count = machine.field_count(record);
    machine.burn(count as u64)?;
    Ok(Value::truth((0..count).any(|index| machine.field_at(record, index)[0] == arguments.values[1])))
}

/// The record in the first argument; of another value, nothing.
fn record_in(machine: &mut Machine<'_>, arguments: &Arguments<'_>) -> Value {
    let given = arguments.values[0];
    if given.as_record().is_some() { given } else { machine.wrong(Kind::Record, given, Value::NOTHING) }
}

fn range(machine: &mut Machine<'_>, arguments: Arguments<'_>) -> Result<Value, Halt> {
    let [count] = machine.numbers(&arguments.values);
    let count = number::max(count, 0.0) as u32;
    machine.burn(u64::from(count))?;
    machine.build(|machine| {
        for number in 0..count {
            machine.push(Value::number(f64::from(number)))?;
        }
        Ok(())
    })
}

fn join(machine: &mut Machine<'_>, arguments: Arguments<'_>) -> Result<Value, Halt> {
    machine.burn(machine.list(arguments.values[0]).len() as u64 + machine.list(arguments.values[1]).len() as u64)?;
    machine.build(|machine| {
        for which in 0..2 {
            for index in 0..machine.list(arguments.values[which]).len() {
                machine.push(machine.list(arguments.values[which])[index])?;
            }
        }
        Ok(())
    })
}

fn reverse(machine: &mut Machine<'_>, arguments: Arguments<'_>) -> Result<Value, Halt> {
    machine.burn(machine.list(arguments.values[0]).len() as u64)?;
    machine.build(|machine| {
        for index in (0..machine.list(arguments.values[0]).len()).rev() {
            machine.push(machine.list(arguments.values[0])[index])?;
        }
        Ok(())
    })
}

fn contains(machine: &mut Machine<'_>, arguments: Arguments<'_>) -> Result<Value, Halt> {
    machine.burn(machine.list(arguments.values[0]).len() as u64)?;
    for index in 0..machine.list(arguments.values[0]).len() {
        let element = machine.list(arguments.values[0])[index];
        if machine.is_same(element, arguments.values[1])? {
            return Ok(Value::TRUE);
        }
    }
    Ok(Value::FALSE)
}

fn map(machine: &mut Machine<'_>, mut arguments: Arguments<'_>) -> Result<Value, Halt> {
    machine.build(|machine| {
        for index in 0..machine.list(arguments.values[0]).len() {
            let result = call_with_element(machine, &mut arguments, index)?;
            machine.push(result)?;
        }
        Ok(())
    })
}

fn filter(machine: &mut Machine<'_>, mut arguments: Arguments<'_>) -> Result<Value, Halt> {
    machine.build(|machine| {
        for index in 0..machine.list(arguments.values[0]).len() {
            let verdict = call_with_element(machine, &mut arguments, index)?;
            if machine.holds(verdict) {
                machine.push(machine.list(arguments.values[0])[index])?;
            }
        }
        Ok(())
    })
}

fn fold(machine: &mut Machine<'_>, arguments: Arguments<'_>) -> Result<Value, Halt> {
    let mut result = arguments.values[1];
    for index in 0..machine.list(arguments.values[0]).len() {
        let element = machine.list(arguments.values[0])[index];
        result = machine.ask(arguments.stack, arguments.values[2], &[result, element])?;
    }
    Ok(result)
}

fn any(machine: &mut Machine<'_>, mut arguments: Arguments<'_>) -> Result<Value, Halt> {
    Ok(Value::truth(position(machine, &mut arguments, true)?.is_some()))
}

fn all(machine: &mut Machine<'_>, mut arguments: Arguments<'_>) -> Result<Value, Halt> {
    Ok(Value::truth(position(machine, &mut arguments, false)?.is_none()))
}

fn find_first(machine: &mut Machine<'_>, mut arguments: Arguments<'_>) -> Result<Value, Halt> {
    let found = position(machine, &mut arguments, true)?;
    Ok(found.map_or(Value::NOTHING, |index| machine.list(arguments.values[0])[index]))
}

fn sort(machine: &mut Machine<'_>, mut arguments: Arguments<'_>) -> Result<Value, Halt> {
    let count = machine.list(arguments.values[0]).len();
    machine.burn(count as u64 * u64::from(usize::BITS - count.leading_zeros()))?;
    machine.build_sorted(|machine| {
        for index in 0..count {
            let key = call_with_element(machine, &mut arguments, index)?;
            let key = key_of(machine, key);
            machine.push(Value::number(key))?;
            machine.push(machine.list(arguments.values[0])[index])?;
        }
        Ok(())
    })
}

fn nearest(machine: &mut Machine<'_>, mut arguments: Arguments<'_>) -> Result<Value, Halt> {
    let mut best: Option<(f64, usize)> = None;
    for index in 0..machine.list(arguments.values[0]).len() {
        let key = call_with_element(machine, &mut arguments, index)?;
        let key = key_of(machine, key);
        if best.is_none_or(|(smallest, _)| key < smallest) {
            best = Some((key, index));
        }
    }
    Ok(best.map_or(Value::NOTHING, |(_, index)| machine.list(arguments.values[0])[index]))
}

/// A sort key that a lambda returned. Values that are no numbers come last.
fn key_of(machine: &mut Machine<'_>, key: Value) -> f64 {
    let key = key.as_number().unwrap_or_else(|| machine.wrong(Kind::Number, key, f64::INFINITY));
    if key.is_nan() { f64::INFINITY } else { key }
}

fn with(machine: &mut Machine<'_>, arguments: Arguments<'_>) -> Result<Value, Halt> {
    let record = record_in(machine, &arguments);
    with_field(machine, record, arguments.values[1], arguments.values[2])
}

fn with_field(machine: &mut Machine<'_>, record: Value, name: Value, value: Value) -> Result<Value, Halt> {
    machine.burn(machine.parts(record).len() as u64)?;
    machine.build_record(|machine| {
        // A row may hold any bytes, also a name without a value: it is left out, as where fields are read.
        for index in 0..machine.parts(record).as_chunks::<2>().0.len() {
            let pair = machine.parts(record).as_chunks::<2>().0[index];
            if pair[0] != name {
                pair.into_iter().try_for_each(|part| machine.push(part))?;
            }
        }
        machine.push(name)?;
        machine.push(value)
    })
}

fn text(machine: &mut Machine<'_>, arguments: Arguments<'_>) -> Result<Value, Halt> {
    let [id, parameters, ..] = arguments.values;
    let id = id.as_string().unwrap_or_else(|| machine.wrong(Kind::String, id, StringId::NONE));
    let parameters = match parameters.kind() {
        Kind::Record => parameters,
        other => {
            if other != Kind::Nothing {
                machine.wrong(Kind::Record, parameters, ());
            }
            machine.build_record(|_| Ok(()))?
        }
    };
    machine.build_record(|machine| {
        machine.push(Value::string(StringId::new(TEXT)))?;
        machine.push(Value::string(id))?;
        machine.push(Value::string(StringId::new(WITH)))?;
        machine.push(parameters)
    })
}

/// The lambda in the second argument, called with an element of the list in the first.
fn call_with_element(machine: &mut Machine<'_>, arguments: &mut Arguments<'_>, index: usize) -> Result<Value, Halt> {
    let element = machine.list(arguments.values[0])[index];
    machine.ask(arguments.stack, arguments.values[1], &[element])
}

/// The first element for which the lambda returns `wanted`.
fn position(machine: &mut Machine<'_>, arguments: &mut Arguments<'_>, wanted: bool) -> Result<Option<usize>, Halt> {
    for index in 0..machine.list(arguments.values[0]).len() {
        let verdict = call_with_element(machine, arguments, index)?;
        if machine.holds(verdict) == wanted {
            return Ok(Some(index));
        }
    }
    Ok(None)
}
