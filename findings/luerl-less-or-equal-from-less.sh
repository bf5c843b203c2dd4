#!/bin/sh
# Luerl 1.0 of Debian 12 (erlang-luerl 1:1.0-2, on Erlang 25): a <= b with only __lt calls __lt(b, a), and does not turn
# its result around.
# Expected: not (b < a), as Lua 5.3 does, or an error as in Lua 5.4.
# Seen: a <= b is b < a: of 1 and 2, 1 <= 2 is false and 1 >= 2 true.
. "$(dirname "$0")/shared/debian-luerl.sh"

cat > script.lua <<'EOF'
local meta = { __lt = function(a, b) return a.value < b.value end }
local one, two = setmetatable({ value = 1 }, meta), setmetatable({ value = 2 }, meta)
return "1 < 2: " .. tostring(one < two) .. ", 1 <= 2: " .. tostring(one <= two) .. ", 1 >= 2: " .. tostring(one >= two)
EOF
run > seen
cat > expected <<'EOF'
1 < 2: true, 1 <= 2: false, 1 >= 2: true
EOF
diff expected seen

echo 'As found on 28 November 2026, with luerl 1.0.'
