#!/bin/sh
# Luerl 1.0 of Debian 12 (erlang-luerl 1:1.0-2, on Erlang 25): `..` and `tostring` write the same number otherwise.
# Expected: as Lua 5.3 and the version string promise (`_VERSION` is Lua 5.3): `1.0 .. ""` is `1.0`, like
# `tostring(1.0)`.
# Seen: `..` and `table.concat` drop `.0` and the exponent, `tostring` and `%s` keep both.
. "$(dirname "$0")/shared/debian-luerl.sh"

cat > script.lua <<'EOF'
local numbers = { 1.0, 5e4, 1e15 }
local lines = { _VERSION }
for _, number in ipairs(numbers) do
  lines[#lines + 1] = tostring(number) .. " / " .. number .. " / " .. table.concat({ number }) .. " / " .. string.format("%s", number)
end
return table.concat(lines, "\n")
EOF
run > seen
cat > expected <<'EOF'
Lua 5.3
1.0 / 1 / 1 / 1.0
5.0e4 / 50000 / 50000 / 5.0e4
1.0e15 / 1000000000000000 / 1000000000000000 / 1.0e15
EOF
diff expected seen

echo 'As found on 28 November 2026, with luerl 1.0.'
