-- Runs before each script: removes what reaches outside, and defines the robot's functions.
-- `call(name, ...)` calls a function of the robot: it returns whether it succeeded, its result or the error, and the watched pins that changed.
local call, names = ...

dofile, loadfile, collectgarbage, warn = nil, nil, nil, nil
string.dump = nil
os = { time = os.time, clock = os.clock, date = os.date, difftime = os.difftime }

-- Text only: compiled code can leave the sandbox.
local load_any = load
function load(chunk, name, _, ...)
  return load_any(chunk, name, 't', ...)
end

local watchers = {}

local function result_of(succeeded, value, changes)
  for _, change in ipairs(changes or {}) do
    watchers[change.pin](change)
  end
  if not succeeded then
    error(value, 2)
  end
  return value
end

for _, name in ipairs(names) do
  _G[name] = function(...)
    return result_of(call(name, ...))
  end
end

json = {
  encode = function(value)
    return result_of(call('json.encode', value))
  end,
  decode = function(text)
    return result_of(call('json.decode', text))
  end,
}

function print(...)
  local parts = table.pack(...)
  for i = 1, parts.n do
    parts[i] = tostring(parts[i])
  end
  debug(table.concat(parts, ' '))
end

local function iterable(cells)
  return {
    total = #cells,
    each = function(action)
      for _, cell in ipairs(cells) do
        action(cell)
      end
    end,
  }
end

local grid_cells, photo_cells, watch = grid, photo_grid, watch_pin

function grid(options)
  return iterable(grid_cells(options))
end

function photo_grid()
  return iterable(photo_cells())
end

-- The orders of points are those of groups. Here, because the robot could not be stopped while it sorts for a script.
local function by_distance(points)
  local here, left, sorted = { x = 0, y = 0 }, table.move(points, 1, #points, 1, {}), {}
  while #left > 0 do
    local nearest, shortest = 1, math.huge
    for i, point in ipairs(left) do
      local distance = (point.x - here.x) ^ 2 + (point.y - here.y) ^ 2
      if distance < shortest then
        nearest, shortest = i, distance
      end
    end
    here = table.remove(left, nearest)
    table.insert(sorted, here)
  end
  return sorted
end

local function shuffled(points)
  local sorted = table.move(points, 1, #points, 1, {})
  for i = #sorted, 2, -1 do
    local j = math.random(i)
    sorted[i], sorted[j] = sorted[j], sorted[i]
  end
  return sorted
end

local function reverse(list, first, last)
  while first < last do
    list[first], list[last] = list[last], list[first]
    first, last = first + 1, last - 1
  end
end

local function by_rows(points, first, second, direction)
  local places, sorted = {}, {}
  for i in ipairs(points) do
    places[i] = i
  end
  table.sort(places, function(i, j)
    local a, b = points[i], points[j]
    if a[first] ~= b[first] then
      return a[first] < b[first]
    end
    if a[second] ~= b[second] then
      return a[second] < b[second]
    end
    return i < j
  end)
  for i, place in ipairs(places) do
    sorted[i] = points[place]
  end
  if direction == 'descending' then
    reverse(sorted, 1, #sorted)
  elseif direction == 'alternating' then
    local start, turns = 1, false
    for i = 2, #sorted + 1 do
      if not sorted[i] or sorted[i][first] ~= sorted[start][first] then
        if turns then
          reverse(sorted, start, i - 1)
        end
        start, turns = i, not turns
      end
    end
  end
  return sorted
end

local directions = { ascending = true, descending = true, alternating = true }

function sort(points, method)
  if method == 'nn' then
    return by_distance(points)
  end
  if method == 'random' then
    return shuffled(points)
  end
  local first, second, direction = tostring(method):match('^([xy])([xy])_(%a+)$')
  if first == second or not directions[direction] then
    error('"sort" has no method "' .. tostring(method) .. '".', 2)
  end
  return by_rows(points, first, second, direction)
end

function watch_pin(pin, action)
  if type(action) ~= 'function' then
    error('"watch_pin" needs a function.', 2)
  end
  watch(pin)
  watchers[pin] = action
end
