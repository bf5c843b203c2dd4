-- Continues dialect.lua: basic functions and tables.

_VERSION = 'Lua 5.3'
coroutine, xpcall = nil, nil

function collectgarbage() end

function _G.error(value, level)
  local method = metamethod(value, '__tostring')
  if type(value) == 'table' and method then
    value = method(value)
  end
  raise({ text = text_of(value) or tostring(value), value = value, where = level == 0 and '' or nil })
end

function assert(...)
  local value, message = ...
  if value then
    return ...
  elseif select('#', ...) < 2 then
    message = 'assertion failed'
  end
  if type(message) == 'string' then
    raise({ text = message, is_fatal = true })
  end
  raise({ text = 'error object is a ' .. type(message) .. '!', value = message })
end

local function caught(succeeded, ...)
  if succeeded then
    return true, ...
  end
  local problem = ...
  if getmetatable(problem) == Raised then
    if problem.is_fatal then
      error(problem, 0)
    end
    return false, problem.text
  end
  local text = gsub(tostring(problem), '^[^\n]-:%d+: ', '', 1)
  return false, find(text, '^attempt to call a nil value') and 'undefined function nil' or text
end

function _G.pcall(...)
  return caught(pcall(...))
end

function _G.tostring(...)
  local value = ...
  if math_type(value) == 'float' then
    return float_text(value)
  end
  return tostring(...)
end

function _G.tonumber(value, base)
  if base == nil then
    return number_of(value)
  end
  local text, radix = text_of(value), whole_of(base)
  local number = text and radix and 1 < radix and radix < 37 and tonumber(text, radix)
  return number and number + 0.0
end

function _G.select(index, ...)
  if index == '#' then
    return select('#', ...) + 0.0
  end
  local first, count = whole_of(index), select('#', ...)
  if not first or first == 0 then
    bad_argument('select', index, ...)
  end
  return select(first < -count and 1 or first, ...)
end

function _G.rawequal(a, b)
  return rawequal(a, b) and math_type(a) == math_type(b)
end

function _G.rawlen(value)
  return type(value) == 'string' and #value + 0.0 or type(value) == 'table' and list_length(value) or rawlen(value)
end

-- The order of keys: the list, other numbers, booleans, text. That of tables and functions is not the robot's.
local function rank_of(key)
  if math_type(key) == 'integer' and key > 0 then
    return 1
  end
  local kind = type(key)
  return kind == 'number' and 2 or kind == 'boolean' and 3 or kind == 'string' and 5 or 4
end

local function is_before(a, b)
  local rank_a, rank_b = rank_of(a), rank_of(b)
  if rank_a ~= rank_b or rank_a == 4 then
    return rank_a < rank_b
  elseif rank_a == 3 then
    return b and not a
  end
  return a < b
end

function _G.next(list, key)
  local first
  for each in next, list do
    if (key == nil or is_before(key, each)) and (first == nil or is_before(each, first)) then
      first = each
    end
  end
  if first == nil then
    return nil
  end
  return first, rawget(list, first)
end

local function sorted_keys(list)
  local indexes, numbers, others, texts = {}, {}, {}, {}
  local groups = { indexes, numbers, others, others, texts }
  for key in next, list do
    local group = groups[rank_of(key)]
    group[#group + 1] = key
  end
  sort_list(indexes)
  sort_list(numbers)
  sort_list(others, is_before)
  sort_list(texts)
  for _, group in ipairs({ numbers, others, texts }) do
    for _, key in ipairs(group) do
      indexes[#indexes + 1] = key
    end
  end
  return indexes
end

function _G.pairs(list)
  local method = metamethod(list, '__pairs')
  if method then
    return method(list)
  end
  local keys, at = sorted_keys(list), 0
  return function()
    while true do
      at = at + 1
      local key = keys[at]
      if key == nil then
        return nil
      end
      local value = rawget(list, key)
      if value ~= nil then
        return key, value
      end
    end
  end
end

-- Compiles text; the name, mode and environment are ignored.
function _G.load(text)
  text = text_of(text) or bad_argument('load', text)
  local compiled, problem = load(select(3, call('plain_lua', text)), '=load', 't')
  if not compiled then
    return nil, problem
  end
  local succeeded, _, standard = call('standard_lua', text)
  if not succeeded then
    return nil, standard
  end
  return load(standard, '=load', 't')(unpack(arguments))
end
loadstring = _G.load

-- Tables

table.move = nil
_G.unpack = function(list, first, last)
  return unpack(list, whole_of(first) or 1, whole_of(last) or list_length(list))
end
table.unpack = _G.unpack

function table.concat(list, between, first, last)
  local parts, count = {}, 0
  for i = whole_of(first) or 1, whole_of(last) or list_length(list) do
    count = count + 1
    parts[count] = text_of(list[i])
    if not parts[count] then
      raise({ text = "invalid value in 'concat': " .. value_text(list[i]) })
    end
  end
  return concat(parts, text_of(between) or '')
end

function table.insert(list, ...)
  local count, place, value = select('#', ...), ...
  if type(list) ~= 'table' or count == 0 or count > 2 then
    bad_argument('insert', list, ...)
  end
  local size = list_length(list)
  if count == 1 then
    rawset(list, size + 1, place)
    return
  end
  place = whole_of(place)
  if not place or place < 1 or place > size + 1 then
    bad_argument('insert', list, ...)
  end
  repeat
    local there = rawget(list, place)
    rawset(list, place, value)
    place, value = place + 1, there
  until value == nil
end

function table.remove(list, ...)
  local size = list_length(list)
  local place = size
  if select('#', ...) > 0 then
    place = whole_of((...))
    if not place or place < 1 or place > size + 1 then
      bad_argument('remove', list, ...)
    end
  end
  local removed, value = rawget(list, place), nil
  repeat
    value = rawget(list, place + 1)
    rawset(list, place, value)
    place = place + 1
  until value == nil
  return removed
end

local function is_least(a, b)
  if math_type(a) and math_type(b) or type(a) == 'string' and type(b) == 'string' then
    return a <= b
  end
  local method = metamethod(a, '__lt') or metamethod(b, '__lt')
  if not method then
    raise({ text = "illegal comparison in sort" })
  end
  return method(a, b)
end

-- Merges, and asks only whether an earlier element may stay before a later one: `<` reverses equal elements.
function table.sort(list, may_precede)
  may_precede = may_precede or is_least
  local size = list_length(list)
  local from, to = {}, {}
  for i = 1, size do
    from[i] = rawget(list, i)
  end
  local width = 1
  while width < size do
    for start = 1, size, 2 * width do
      local left, right = start, start + width
      local left_end, right_end = right, right + width
      for i = start, start + 2 * width - 1 do
        if left < left_end and (right >= right_end or from[right] == nil or may_precede(from[left], from[right])) then
          to[i] = from[left]
          left = left + 1
        else
          to[i] = from[right]
          right = right + 1
        end
      end
    end
    from, to, width = to, from, 2 * width
  end
  for i = 1, size do
    rawset(list, i, from[i])
  end
end

-- Places and lengths of a robot are floats, also whole ones; those of a variable are if it is a point.
local function as_floats(value, ...)
  if math_type(value) == 'integer' then
    return value + 0.0, ...
  elseif type(value) == 'table' then
    for _, axis in ipairs({ 'x', 'y', 'z' }) do
      value[axis] = math_type(value[axis]) == 'integer' and value[axis] + 0.0 or value[axis]
    end
  end
  return value, ...
end

for _, name in ipairs({ 'garden_size', 'get_position', 'get_xyz', 'soil_height', 'variable' }) do
  local of_robot = _G[name]
  local function floats_of(value, ...)
    if name == 'variable' and not (type(value) == 'table' and value.name) then
      return value, ...
    end
    return as_floats(value, ...)
  end
  if of_robot then
    _G[name] = function(...)
      return floats_of(of_robot(...))
    end
  end
end
