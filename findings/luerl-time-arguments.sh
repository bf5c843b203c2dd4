#!/bin/sh
# Luerl 1.0 of Debian 12 (erlang-luerl 1:1.0-2, on Erlang 25): os.date and os.time ignore their arguments, and
# os.difftime is turned around.
# Expected: the year 1970 for os.date("%Y", 0), its table for "*t", the seconds of os.time{year = 2026, …}, and 2 for
# os.difftime(5, 3).
# Seen: os.date always writes the present time as YYYY-MM-DD HH:MM:SS, os.time{…} is the present time as a float with a
# fraction, and os.difftime(5, 3) is -2.
. "$(dirname "$0")/shared/debian-luerl.sh"

cat > script.lua <<'EOF'
local now = "^%d+%-%d+%-%d+ %d+:%d+:%d+$"
local year = os.date("%Y", 0)
local fields = os.date("*t", 0)
local time = os.time({ year = 2000, month = 1, day = 1 })
return table.concat({
  "os.date(\"%Y\", 0) is a whole time: " .. tostring(year:match(now) ~= nil and year:sub(1, 4) ~= "1970"),
  "os.date(\"*t\", 0) is " .. type(fields),
  "os.time of 2000 is later than 2020: " .. tostring(time > 1577836800) .. ", " .. math.type(time),
  "os.difftime(5, 3) = " .. os.difftime(5, 3),
}, "\n")
EOF
run > seen
cat > expected <<'EOF'
os.date("%Y", 0) is a whole time: true
os.date("*t", 0) is string
os.time of 2000 is later than 2020: true, float
os.difftime(5, 3) = -2
EOF
diff expected seen

echo 'As found on 28 November 2026, with luerl 1.0.'
