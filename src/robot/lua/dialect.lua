-- Makes Lua 5.4 calculate, write and fail as the robot's Lua does (Luerl 1.2), where that is not noticed otherwise.
-- Runs after sandbox.lua and robot-functions.lua, before each script. Scripts see the functions in the libraries; robot-lua.mjs calls the operators at the end.
-- Scripts may replace the libraries' functions: everything below uses its own.
local call, operator_names = ...

local error, getmetatable, ipairs, load, next, pcall, rawequal, rawget, rawlen, rawset, select, setmetatable, tostring, tonumber, type =
  error, getmetatable, ipairs, load, next, pcall, rawequal, rawget, rawlen, rawset, select, setmetatable, tostring, tonumber, type
local byte, char, find, format, gmatch, gsub, lower, match, rep, reverse, sub, upper = string.byte, string.char, string.find,
  string.format, string.gmatch, string.gsub, string.lower, string.match, string.rep, string.reverse, string.sub, string.upper
local concat, pack, sort_list, unpack = table.concat, table.pack, table.sort, table.unpack
local floor, huge, math_type, to_integer = math.floor, math.huge, math.type, math.tointeger
local date, math, os, string, table, utf8 = os.date, math, os, string, table, utf8

-- Errors

-- What a script raised. `text`: what `pcall` returns; `value`: what was raised; `problem`: for people, if other; `is_fatal`: `pcall` does not catch it.
local Raised = {}

-- Returns where the script is, as `line:7: `.
local function position()
  for level = 4, 12 do
    local where = select(2, pcall(error, '', level))
    if where ~= '' and not find(where, '^[drs][%l-]+:') then
      return where
    end
  end
  return ''
end

local function raise(raised)
  raised.where = raised.where or position()
  error(setmetatable(raised, Raised), 0)
end

-- Returns a result that the robot can have; sums are looked at only where they are written.
local function finite(result)
  if result == huge or result == -huge or result ~= result then
    raise({ text = 'bad arithmetic', problem = result == result and 'division by zero, or too great a number' or '0 / 0 is no number' })
  end
  return result
end

-- Numbers as text

-- The digits of a positive number and the place of its point, rounded to `count` digits.
local function digits_of(number, count)
  finite(number)
  local first, others, exponent = match(format('%.' .. count - 1 .. 'e', number), '^(%d)%.?(%d*)e(.*)$')
  return first .. others, tonumber(exponent) + 1
end

local function float_text(number)
  if number < 0 or (number == 0 and 1 / number < 0) then
    return '-' .. float_text(-number)
  end
  if number == 0 then
    return '0.0'
  end
  local digits, place
  -- The smallest numbers have few digits.
  for count = number < 0x1p-1022 and 1 or 15, 17 do
    digits, place = digits_of(number, count)
    if tonumber(format('%.' .. count - 1 .. 'e', number)) == number then
      break
    end
  end
  digits = match(digits, '^(.-)0*$')
  local size = #digits
  if 0 < place and place < size then
    return sub(digits, 1, place) .. '.' .. sub(digits, place + 1)
  elseif place == 0 then
    return '0.' .. digits
  end
  local exponent = 'e' .. place - 1
  local short = sub(digits, 1, 1) .. '.' .. (size == 1 and '0' or sub(digits, 2)) .. exponent
  local long = place < 0 and '0.' .. rep('0', -place) .. digits or digits .. rep('0', place - size) .. '.0'
  return number < 0x1p53 and #long <= #short and long or short
end

local function number_text(number)
  return math_type(number) == 'float' and float_text(number) or format('%d', number)
end

-- Returns a value as in error messages of the robot.
local function value_text(value)
  if math_type(value) then
    return number_text(value)
  elseif type(value) == 'string' then
    return "'" .. value .. "'"
  end
  return (type(value) == 'table' or type(value) == 'function') and type(value) or tostring(value)
end

local function values_text(...)
  local texts = pack(...)
  for i = 1, texts.n do
    texts[i] = value_text(texts[i])
  end
  return concat(texts, ',')
end

-- Called by functions of the libraries.
local function bad_argument(name, ...)
  raise({ text = 'bad argument ' .. values_text(...) .. " to '" .. name .. "'" })
end

-- An error that the robot does not catch.
local function fail(text)
  raise({ text = text, is_fatal = true })
end

-- Text as numbers

local blank = '[\9-\13 \xA0]*'
local numeral = '^' .. blank .. '([+-]?)' .. blank .. '([%d.][%w.+-]*)' .. blank .. '$'

-- Returns a number, or nil. Text becomes a float.
local function number_of(value)
  if math_type(value) then
    return value
  elseif type(value) ~= 'string' then
    return nil
  end
  local sign, digits = match(value, numeral)
  local number = digits and tonumber(digits)
  if not number or number == huge then
    return nil
  end
  return sign == '-' and -(number + 0.0) or number + 0.0
end

-- Returns an integer, or nil.
local function whole_of(value)
  local number = number_of(value)
  return number and to_integer(number)
end

-- Returns text, or nil.
local function text_of(value)
  return type(value) == 'string' and value or math_type(value) and number_text(value) or nil
end

-- Operators

local symbols = { __add = '+', __sub = '-', __mul = '*', __div = '/', __idiv = '//', __mod = '%', __pow = '^' }
symbols.__unm, symbols.__band, symbols.__bor, symbols.__bxor, symbols.__bnot = '-', '&', '|', '~', '~'
symbols.__shl, symbols.__shr = '<<', '>>'

local function metamethod(value, event)
  local metatable = getmetatable(value)
  return type(value) ~= 'string' and type(metatable) == 'table' and rawget(metatable, event) or nil
end

-- Raises the error of an operator. `names`: of its operands, 'a|b'.
local function bad_arithmetic(problem, event, ...)
  raise({ text = "bad arithmetic '" .. symbols[event] .. "' on " .. values_text(...), problem = problem })
end

local function name_at(names, index)
  local name = names and match(names, '^' .. rep('[^|]*|', index - 1) .. '([^|]+)')
  return name and " (" .. name .. ')' or ''
end

-- Returns the numbers of two operands, or no number and the metamethod. `read`: returns the number of one.
local function operands(event, names, a, b, read)
  local x, y = (read or number_of)(a), (read or number_of)(b)
  if x and y then
    return x, y
  end
  local method = metamethod(a, event) or metamethod(b, event)
  if not method then
    local wrong, index = b, 2
    if not x then
      wrong, index = a, 1
    end
    local kind = math_type(wrong) and 'a number that is not whole'
      or type(wrong) == 'string' and 'text that is no number'
      or 'a ' .. type(wrong) .. ' value'
    bad_arithmetic('attempt to perform arithmetic on ' .. kind .. name_at(names, index), event, a, b)
  end
  return nil, method
end

local too_great_integer = 'the integer has more than 64 bits, which the virtual robot cannot have'

local operators = {}

-- Of `/` and `^`.
operators.finite = finite

function operators.multiply(a, b, names)
  if math_type(a) == 'integer' and math_type(b) == 'integer' then
    local exact = (a + 0.0) * b
    if exact >= 0x1p63 or exact < -0x1p63 then
      raise({ text = too_great_integer, is_fatal = true })
    end
    return a * b
  end
  local x, y = operands('__mul', names, a, b)
  if not x then
    return (y(a, b))
  end
  return finite(x * y)
end

function operators.divide_whole(a, b, names)
  local x, y = operands('__idiv', names, a, b)
  if not x then
    return (y(a, b))
  elseif y == 0 then
    bad_arithmetic('division by zero', '__idiv', a, b)
  elseif math_type(x) == 'integer' and math_type(y) == 'integer' then
    local quotient = x // y
    -- The robot does not round results between -1 and 0.
    return quotient == -1 and x % y ~= 0 and 0 or quotient
  end
  return floor(x / y) + 0.0
end

function operators.modulo(a, b, names)
  local x, y = operands('__mod', names, a, b)
  if not x then
    return (y(a, b))
  elseif y == 0 then
    bad_arithmetic('division by zero', '__mod', a, b)
  elseif math_type(x) == 'integer' and math_type(y) == 'integer' then
    return x % y
  end
  return x - floor(x / y) * y
end

function operators.shift_left(a, b, names)
  local x, y = operands('__shl', names, a, b, whole_of)
  if not x then
    return (y(a, b))
  elseif y < 0 then
    return operators.shift_right(x, -y)
  elseif x ~= 0 and (y > 62 or (x << y) // (1 << y) ~= x) then
    raise({ text = too_great_integer, is_fatal = true })
  end
  return x << y
end

function operators.shift_right(a, b, names)
  local x, y = operands('__shr', names, a, b, whole_of)
  if not x then
    return (y(a, b))
  elseif y < 0 then
    return operators.shift_left(x, -y)
  end
  -- Not `>>`: the sign stays.
  return y > 62 and (x < 0 and -1 or 0) or x // (1 << y)
end

-- An operand of `..`.
function operators.text(value, name)
  if math_type(value) == 'float' then
    return float_text(value)
  elseif value == nil then
    raise({ text = "bad argument nil to '..'", problem = 'attempt to concatenate a nil value' .. name_at(name, 1) })
  end
  return value
end

-- Beyond it, counting costs too much.
local max_counted = 1000

-- The length of a list ends at its first hole, but for the first element.
local function list_length(list)
  if rawget(list, 2) == nil then
    return rawget(list, 1) == nil and 0 or 1
  end
  local get = getmetatable(list) and rawget
  for i = 3, max_counted do
    local value
    if get then
      value = get(list, i)
    else
      value = list[i]
    end
    if value == nil then
      return i - 1
    end
  end
  return rawlen(list)
end

function operators.length(value, name)
  if type(value) == 'string' then
    return #value
  end
  local method = metamethod(value, '__len')
  if method then
    return (method(value))
  elseif type(value) == 'table' then
    return list_length(value)
  end
  raise({
    text = 'bad argument ' .. value_text(value) .. " to '#'",
    problem = 'attempt to get length of a ' .. type(value) .. ' value' .. name_at(name, 1),
  })
end

-- A bound of `for`, which may be text.
function operators.bound(value)
  return number_of(value) or value
end

-- Text in calculations that are no calls of these functions.
local text_metatable = getmetatable('')
text_metatable.__index = string
for event, calculate in next, {
  __add = function(a, b)
    return a + b
  end,
  __sub = function(a, b)
    return a - b
  end,
  __div = function(a, b)
    return a / b
  end,
  __pow = function(a, b)
    return a ^ b
  end,
  __band = function(a, b)
    return a & b
  end,
  __bor = function(a, b)
    return a | b
  end,
  __bxor = function(a, b)
    return a ~ b
  end,
} do
  text_metatable[event] = function(a, b)
    local x, y = operands(event, nil, a, b)
    if not x then
      return (y(a, b))
    end
    return calculate(x, y)
  end
end

for event, calculate in next, {
  __unm = function(a)
    return -a
  end,
  __bnot = function(a)
    return ~a
  end,
} do
  text_metatable[event] = function(text)
    return calculate(number_of(text) or bad_arithmetic('attempt to perform arithmetic on text that is no number', event, text))
  end
end

local arguments = {}
for i, name in ipairs(operator_names) do
  arguments[i] = operators[name]
end
