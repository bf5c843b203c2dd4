-- Continues dialect-strings.lua: numbers, bits, times and UTF-8.

math.huge, math.ult = 0x1.fffffffffffffp1023, nil

-- Declares a function that takes text, too, and fails as the robot's does where there is no number.
local function numeric(name, calculate)
  math[name] = function(...)
    local first, second = number_of((...)), number_of((select(2, ...)))
    local result, other = nil, nil
    if first then
      result, other = calculate(first, second)
    end
    if result == nil then
      bad_argument(name, ...)
    elseif result - result ~= 0 then
      fail('math.' .. name .. ' has no number for ' .. values_text(...))
    elseif other == nil then
      return result
    end
    return result, other
  end
end

for _, name in ipairs({ 'abs', 'acos', 'asin', 'ceil', 'cos', 'deg', 'exp', 'floor', 'rad', 'sin', 'sqrt', 'tan' }) do
  local calculate = math[name]
  numeric(name, function(number)
    return calculate(number)
  end)
end

local atan, exp, log, random = math.atan, math.exp, math.log, math.random

local function truncated(number)
  return number < 0 and -floor(-number) or floor(number)
end

numeric('atan', function(y, x)
  return atan(y, x or 1)
end)
numeric('atan2', function(y, x)
  return x and atan(y, x)
end)
numeric('cosh', function(x)
  return (exp(x) + exp(-x)) / 2
end)
numeric('sinh', function(x)
  return (exp(x) - exp(-x)) / 2
end)
numeric('tanh', function(x)
  return 1 - 2 / (exp(2 * x) + 1)
end)
numeric('log', function(x, base)
  return base == 10 and log(x, 10) or base and log(x) / log(base) or log(x)
end)
numeric('log10', function(x)
  return x == 0 and -500.0 or log(x, 10)
end)
numeric('pow', function(x, y)
  return y and x ^ y
end)
numeric('fmod', function(x, y)
  return y and (y == 0 and 0 / 0 or x - truncated(x / y) * y)
end)
numeric('modf', function(x)
  return truncated(x), x - truncated(x) + 0.0
end)
numeric('ldexp', function(x, power)
  return math_type(x) == 'float' and math_type(power) == 'integer' and x * 2.0 ^ power or nil
end)
numeric('frexp', function(x)
  local power = 0
  local fraction = x < 0 and -x or x + 0.0
  while fraction >= 1 do
    fraction, power = fraction / 2, power + 1
  end
  while fraction > 0 and fraction < 0.5 do
    fraction, power = fraction * 2, power - 1
  end
  return x < 0 and -fraction or fraction, power
end)
numeric('tointeger', to_integer)

function math.tointeger(value)
  local number = number_of(value)
  return number and to_integer(number)
end

function math.random(...)
  local first, last = ...
  local count = select('#', ...)
  if count == 0 then
    return random()
  end
  first, last = whole_of(first), whole_of(last)
  if count == 1 then
    first, last = 1, first
  end
  if not first or not last or last < first then
    bad_argument('random', ...)
  end
  return random(first, last)
end

local function extreme(name, is_better)
  math[name] = function(...)
    local best
    for i = 1, select('#', ...) do
      local number = number_of((select(i, ...)))
      if not number then
        bad_argument(name, ...)
      elseif not best or is_better(number, best) then
        best = number
      end
    end
    return best or bad_argument(name)
  end
end

extreme('max', function(a, b)
  return a > b
end)
extreme('min', function(a, b)
  return a < b
end)

-- `bit32` returns floats, and shifts beyond 32 bits.
bit32 = {}

local function bitwise(name, calculate)
  bit32[name] = function(...)
    local numbers = pack(...)
    for i = 1, numbers.n do
      numbers[i] = whole_of(numbers[i]) or bad_argument(name, ...)
    end
    local result = calculate(unpack(numbers, 1, numbers.n))
    return math_type(result) and result + 0.0 or result
  end
end

local function folded(start, combine)
  return function(...)
    local result = start
    for i = 1, select('#', ...) do
      result = combine(result, (select(i, ...)) & 0xFFFFFFFF)
    end
    return result
  end
end

local function band(...)
  return folded(0xFFFFFFFF, function(a, b)
    return a & b
  end)(...)
end

bitwise('band', band)
bitwise('btest', function(...)
  return band(...) ~= 0
end)
bitwise('bor', folded(0, function(a, b)
  return a | b
end))
bitwise('bxor', folded(0, function(a, b)
  return a ~ b
end))
bitwise('bnot', function(a)
  return ~(a & 0xFFFFFFFF)
end)
bitwise('lshift', function(a, by)
  return operators.shift_left(a & 0xFFFFFFFF, by)
end)
bitwise('rshift', function(a, by)
  return operators.shift_right(a & 0xFFFFFFFF, by)
end)
bitwise('arshift', function(a, by)
  return operators.shift_right(a & 0xFFFFFFFF, by)
end)

local function rotated(a, by)
  a, by = a & 0xFFFFFFFF, by % 32
  return (a << by | a >> 32 - by) & 0xFFFFFFFF
end

bitwise('lrotate', rotated)
bitwise('rrotate', function(a, by)
  return rotated(a, -by)
end)
bitwise('extract', function(a, field, width)
  return (a & 0xFFFFFFFF) >> field & (1 << (width or 1)) - 1
end)
bitwise('replace', function(a, value, field, width)
  local mask = (1 << (width or 1)) - 1
  return (a & 0xFFFFFFFF & ~(mask << field)) | (value & mask) << field
end)

-- Times, which are UTC

local function now()
  return select(3, call('time')) + 0.0
end

function os.time(fields)
  if type(fields) ~= 'table' then
    return now()
  end
  local function field(name, default)
    local value = rawget(fields, name)
    if value == nil then
      value = default or bad_argument('time', name)
    elseif math_type(value) ~= 'integer' then
      fail('os.time needs whole numbers')
    end
    return value
  end
  local day, month, year = field('day'), field('month'), field('year')
  local hour, minute, second = field('hour', 12), field('min', 0), field('sec', 0)
  -- From March on, so that a leap day is the last one.
  local years = month > 2 and year or year - 1
  local days = 365 * years + years // 4 - years // 100 + years // 400 + (153 * ((month + 9) % 12) + 2) // 5 + day - 719469
  local time = 86400 * days + 3600 * hour + 60 * minute + second
  local written = date('!*t', time)
  for name, value in next, { month = month, day = day, hour = hour, min = minute, sec = second } do
    if written[name] ~= value then
      fail('os.time: there is no such ' .. name)
    end
  end
  return time
end

function os.difftime(later, earlier)
  return later - earlier
end

local formats = { c = '%a %b %e %H:%M:%S %Y', D = '%m/%d/%y', F = '%Y-%m-%d', P = '%p', T = '%H:%M:%S', W = '%V', X = '%H:%M:%S', x = '%m/%d/%y', Z = '' }

function os.date(...)
  local layout, time = ...
  local count = select('#', ...)
  if count == 0 then
    layout = '%c'
  end
  if count < 2 then
    time = now()
  end
  if type(layout) ~= 'string' or not math_type(time) then
    bad_argument('date', ...)
  end
  time = floor(time + 0.5)
  if layout == '*t' then
    local fields = date('!*t', time)
    fields.yday, fields.isdst = nil, nil
    return fields
  end
  -- One after the other, in this order.
  for letter in gmatch('AaBbcDdeFHIMmnPpSTtuVWwXxYyZ', '.') do
    local written = date('!' .. (formats[letter] or '%' .. letter), time)
    layout = gsub(layout, '%%' .. letter, letter == 'P' and lower(written) or written)
  end
  return (gsub(layout, '%%%%', '%%'))
end

-- UTF-8

local codepoint, utf8_char, utf8_len = utf8.codepoint, utf8.char, utf8.len

function utf8.len(text, ...)
  if text == '' then
    bad_argument('len', text, ...)
  end
  return utf8_len(text, ...)
end

-- Returns where each character ends.
function utf8.codes(text)
  return function(whole, at)
    if at < #whole then
      local code = codepoint(whole, at + 1)
      return at + #utf8_char(code), code
    end
  end,
    text,
    0
end

function utf8.offset()
  raise({ text = "{'NYI',offset}!", problem = 'the robot has no utf8.offset' })
end

-- Runs a compiled script.
return function(chunk)
  local results = pack(pcall(chunk(unpack(arguments))))
  if results[1] then
    return unpack(results, 2, results.n)
  end
  local raised = results[2]
  if getmetatable(raised) ~= Raised then
    error(raised, 0)
  end
  local has_text = raised.value == nil or text_of(raised.value)
  error(has_text and raised.where .. (raised.problem or raised.text) or raised.value, 0)
end
