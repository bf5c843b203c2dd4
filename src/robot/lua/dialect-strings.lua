-- Continues dialect-basics.lua: text, patterns and formats.

string.pack, string.packsize, string.unpack = nil, nil, nil
utf8.charpattern = '[\0-\x7F\xC2-\xF4][\x80-\xBF]*'

function string.gmatch(...)
  raise({ text = 'bad argument ' .. values_text(...) .. " to 'gmatch'", problem = 'the robot has no string.gmatch' })
end

-- Returns text for a function that takes it, and its whole numbers.
local function text_and_numbers(name, text, ...)
  local numbers = pack(...)
  for i = 1, numbers.n do
    numbers[i] = whole_of(numbers[i]) or bad_argument(name, text, ...)
  end
  return text_of(text) or bad_argument(name, text, ...), unpack(numbers, 1, numbers.n)
end

function string.byte(...)
  local text, first, last = text_and_numbers('byte', ...)
  if select('#', byte(text, first or 1, last)) == 0 then
    return nil
  end
  return byte(text, first or 1, last)
end

function string.char(...)
  local codes = pack(...)
  if codes.n == 1 and codes[1] == nil then
    return ''
  end
  for i = 1, codes.n do
    codes[i] = whole_of(codes[i]) or bad_argument('char', ...)
    if codes[i] < 0 or codes[i] > 255 then
      fail('string.char takes numbers from 0 to 255')
    end
  end
  return char(unpack(codes, 1, codes.n))
end

function string.len(text)
  return #(text_of(text) or bad_argument('len', text))
end

function string.rep(text, count, ...)
  local between = ...
  if select('#', ...) == 0 then
    between = ''
  end
  local repeated, times = text_and_numbers('rep', text, count)
  return rep(repeated, times, text_of(between) or bad_argument('rep', text, count, between))
end

function string.reverse(text)
  return reverse(text_of(text) or bad_argument('reverse', text))
end

function string.sub(text, first, ...)
  return sub(text_and_numbers('sub', text, first, ...))
end

-- Letters are those of Latin-1, also within UTF-8, which that breaks.
local function shifted(by)
  return function(letter)
    return char(byte(letter) + by)
  end
end

local lowered, raised_letter = shifted(32), shifted(-32)

function string.lower(text)
  return (gsub(lower(text_of(text) or bad_argument('lower', text)), '[\xC0-\xD6\xD8-\xDE]', lowered))
end

function string.upper(text)
  return (gsub(upper(text_of(text) or bad_argument('upper', text)), '[\xE0-\xF6\xF8-\xFE]', raised_letter))
end

-- The bytes of each class, as pairs of first and last.
local classes = {
  a = { 65, 90, 97, 122, 192, 214, 216, 246, 248, 255 },
  c = { 0, 31, 128, 159 },
  d = { 48, 57 },
  g = { 33, 126, 161, 255 },
  l = { 97, 122, 224, 246, 248, 255 },
  p = { 33, 47, 58, 63, 91, 96, 126, 126, 161, 191, 215, 215, 247, 247 },
  s = { 9, 13, 32, 32, 160, 160 },
  u = { 65, 90, 192, 214, 216, 223 },
  w = { 48, 57, 65, 90, 97, 122, 192, 214, 216, 246, 248, 255 },
  x = { 48, 57, 65, 70, 97, 102 },
  z = { 0, 0 },
}

-- Returns a class as the content of `[…]`.
local function set_of(letter)
  local parts, bytes, from = {}, classes[lower(letter)], 0
  local function add(first, last)
    -- The ends of a range may not be escaped.
    while first <= last and find(char(first), '[%%%]^%-]') do
      parts[#parts + 1] = '%' .. char(first)
      first = first + 1
    end
    while first <= last and find(char(last), '[%%%]^%-]') do
      parts[#parts + 1] = '%' .. char(last)
      last = last - 1
    end
    if first <= last then
      parts[#parts + 1] = char(first) .. (first < last and '-' .. char(last) or '')
    end
  end
  for i = 1, #bytes, 2 do
    if find(letter, '%l') then
      add(bytes[i], bytes[i + 1])
    else
      add(from, bytes[i] - 1)
      from = bytes[i + 1] + 1
    end
  end
  if find(letter, '%u') then
    add(from, 255)
  end
  return concat(parts)
end

local sets = setmetatable({}, {
  __index = function(all, letter)
    local set = set_of(letter)
    all[letter] = set
    return set
  end,
})

local malformed = 'malformed pattern'

-- Returns what `%` and a letter match, as the content of `[…]`.
local function escaped(letter)
  if classes[lower(letter)] then
    return sets[letter]
  elseif find(letter, '[%w\xC0-\xD6\xD8-\xF6\xF8-\xFF]') then
    raise({ text = malformed .. ' (class ' .. letter .. ')' })
  end
  return '%' .. letter
end

local patterns, pattern_count = {}, 0

-- Returns a pattern of the robot as one of Lua 5.4.
local function pattern_of(pattern)
  if patterns[pattern] then
    return patterns[pattern]
  end
  local parts, at, is_set = {}, 1, false
  while at <= #pattern do
    local plain = match(pattern, '^[^%%[%]]+', at)
    local letter = sub(pattern, at + 1, at + 1)
    local part = plain or sub(pattern, at, at)
    if part == '[' and not is_set then
      is_set = true
      part = match(pattern, '^%[%^?%]?', at)
    elseif part == ']' then
      is_set = false
    elseif part == '%' then
      if letter == '' or letter == 'f' and not is_set then
        raise({ text = malformed, problem = malformed .. (letter == 'f' and ': the robot has no %f' or '') })
      elseif letter == 'b' and not is_set then
        part = sub(pattern, at, at + 3)
      else
        local set = escaped(letter)
        part = (is_set or not classes[lower(letter)]) and set or '[' .. set .. ']'
        at = at + 2 - #part
      end
    end
    parts[#parts + 1] = part
    at = at + #part
  end
  if pattern_count > 100 then
    patterns, pattern_count = {}, 0
  end
  patterns[pattern] = concat(parts)
  pattern_count = pattern_count + 1
  return patterns[pattern]
end

-- Returns the arguments of a search: text, pattern and the first index.
local function search(name, text, pattern, ...)
  local first = 1
  if select('#', ...) > 0 then
    first = whole_of((...))
  end
  if not (text_of(text) and text_of(pattern) and first) then
    bad_argument(name, text, pattern, ...)
  end
  text = text_of(text)
  if first < 0 then
    first = first + #text + 1
  end
  return text, text_of(pattern), first < 1 and 1 or first
end

function string.find(text, pattern, ...)
  local whole, searched, first = search('find', text, pattern, ...)
  if first > #whole + 1 then
    return nil
  elseif select(2, ...) then
    return find(whole, searched, first, true)
  end
  return find(whole, pattern_of(searched), first)
end

-- Positions count from where the search began.
local function moved(by, ...)
  if by == 0 then
    return ...
  end
  local captures = pack(...)
  for i = 1, captures.n do
    captures[i] = type(captures[i]) == 'number' and captures[i] - by or captures[i]
  end
  return unpack(captures, 1, captures.n)
end

function string.match(text, pattern, ...)
  local whole, searched, first = search('match', text, pattern, ...)
  if first > #whole then
    return nil
  end
  return moved(first - 1, match(whole, pattern_of(searched), first))
end

-- Returns what replaces a match.
local function replacement(by, whole, ...)
  local kind, first = type(by), select('#', ...) > 0 and (...) or whole
  if kind == 'table' then
    return text_of(by[first]) or whole
  elseif kind == 'function' then
    return text_of((by(first, select(2, ...)))) or whole
  end
  local captures = { [0] = whole, ... }
  return (gsub(text_of(by) or '', '%%([%%%d])', function(digit)
    local capture = digit == '%' and '%' or captures[tonumber(digit)]
    if not capture then
      raise({ text = "invalid index in 'capture': " .. digit })
    end
    return text_of(capture)
  end))
end

function string.gsub(text, pattern, by, ...)
  local most = huge
  if select('#', ...) > 0 then
    most = whole_of((...)) or 0
  end
  if not (text_of(text) and text_of(pattern)) or most < 1 then
    bad_argument('gsub', text, pattern, by, ...)
  end
  text, pattern = text_of(text), pattern_of(text_of(pattern))
  local parts, count, at, copied = {}, 0, 1, 1
  local function replace(first, last, ...)
    if not first then
      return false
    end
    count = count + 1
    parts[#parts + 1] = sub(text, copied, first - 1)
    parts[#parts + 1] = replacement(by, sub(text, first, last), ...)
    copied = last + 1
    at = last < first and first + 1 or last + 1
    return true
  end
  while count < most and at <= #text + 1 and replace(find(text, pattern, at)) do
    if byte(pattern) == 94 then
      break
    end
  end
  parts[#parts + 1] = sub(text, copied)
  return concat(parts), count
end

-- Rounds digits half up; the result has one more after `9` became `10`.
local function rounded(digits, count)
  local kept = sub(digits .. rep('0', count - #digits), 1, count)
  if (byte(digits, count + 1) or 0) < 53 then
    return kept
  end
  local start, nines = match('0' .. kept, '^(.-)(9*)$')
  local up = sub(start, 1, -2) .. char(byte(start, -1) + 1) .. rep('0', #nines)
  return byte(up) == 48 and sub(up, 2) or up
end

local function fixed(number, places)
  if places < 1 then
    error()
  end
  local digits, point = digits_of(number, 21)
  if point < 1 then
    digits, point = rep('0', 1 - point) .. digits, 1
  end
  local kept = rounded(digits, point + places)
  return sub(kept, 1, -places - 1) .. '.' .. sub(kept, -places)
end

local function scientific(number, places)
  if places < 1 then
    error()
  end
  local digits, point = digits_of(number, 21)
  local kept = rounded(digits, places + 1)
  point = point + #kept - places - 1
  return format('%s.%se%+d', sub(kept, 1, 1), sub(kept, 2, places + 1), point - 1)
end

-- Writes `places` digits in all.
local function general(number, digits)
  local power = number < 0.1 and -2 or number == 0 and 0 or select(2, digits_of(number, 21)) - 1
  if power >= -1 and power < 4 and digits - 1 > power then
    return fixed(number, digits - 1 - power)
  end
  return scientific(number, (digits <= 1 and 2 or digits) - 1)
end

local function padded(text, flags, width)
  local missing = rep(find(flags, '0') and not find(flags, '-') and '0' or ' ', (tonumber(width) or 0) - #text)
  return find(flags, '-') and text .. missing or missing .. text
end

local function signed(number, flags, width, text)
  local sign = number < 0 and '-' or find(flags, '+', 1, true) and '+' or find(flags, ' ') and ' ' or ''
  if find(flags, '0') and not find(flags, '-') then
    return sign .. padded(text, flags, (tonumber(width) or 0) - #sign)
  end
  return padded(sign .. text, flags, width)
end

local integer_formats = { d = '%d', i = '%d', u = '%d', o = '%o', x = '%x', X = '%X' }
local float_formats = { f = fixed, F = fixed, e = scientific, E = scientific, g = general, G = general }

-- Writes bytes beyond ASCII as UTF-8, as the robot does with formats.
local function in_utf8(text)
  return (gsub(text, '[\x80-\xFF]', function(letter)
    local code = byte(letter)
    return char(0xC0 | code >> 6, 0x80 | code & 0x3F)
  end))
end

local function formatted(flags, width, precision, kind, value)
  local places = tonumber(sub(precision, 2))
  if kind == 's' then
    local text = _G.tostring(value)
    return padded(places and sub(text, 1, places) or text, flags, width)
  elseif kind == 'q' then
    return '"' .. gsub(_G.tostring(value), '["\\\n]', '\\%0') .. '"'
  elseif kind == 'c' then
    return in_utf8(padded(char(whole_of(value) & 255), flags, width))
  elseif integer_formats[kind] then
    local number = whole_of(value)
    if kind == 'u' then
      local tens = (number >> 1) // 5
      return padded((tens > 0 and tens or '') .. number - tens * 10, flags, width)
    end
    local text = format(integer_formats[kind], number < 0 and -number or number)
    if not places then
      return signed(number, flags, width, text)
    end
    return padded(signed(number, flags, 0, padded(text, '0', places)), find(flags, '-') and '-' or '', width)
  end
  local number = number_of(value) + 0.0
  return signed(number, flags, width, float_formats[kind](number < 0 and -number or number, places or 6))
end

function string.format(text, ...)
  local pattern, values = text_of(text) or bad_argument('format', text, ...), pack(...)
  local parts, at, used = {}, 1, 0
  while at <= #pattern do
    local stop = find(pattern, '[%%\\]', at) or #pattern + 1
    parts[#parts + 1] = in_utf8(sub(pattern, at, stop - 1))
    if byte(pattern, stop) == 92 then
      -- Backslashes are left out.
      parts[#parts + 1] = in_utf8(sub(pattern, stop + 1, stop + 1))
      at = stop + 2
    elseif sub(pattern, stop, stop + 1) == '%%' then
      parts[#parts + 1] = '%'
      at = stop + 2
    elseif stop <= #pattern then
      local flags, width, precision, kind = match(pattern, '^([#0%- +]*)(%d*)(%.?%d*)(.?)', stop + 1)
      used = used + 1
      local succeeded, part = false, nil
      if used <= values.n then
        succeeded, part = pcall(formatted, flags, width, precision, kind, values[used])
      end
      if not succeeded then
        raise({ text = 'bad argument ' .. values_text(text, ...) .. " to 'format'" })
      end
      parts[#parts + 1] = part
      at = stop + 1 + #flags + #width + #precision + 1
    else
      at = stop
    end
  end
  return concat(parts)
end
