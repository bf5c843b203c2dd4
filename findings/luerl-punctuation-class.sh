#!/bin/sh
# Luerl 1.0 of Debian 12 (erlang-luerl 1:1.0-2, on Erlang 25): %p of patterns lacks four characters, and %c the
# character 127.
# Expected: all 32 punctuation characters of ASCII for %p, and 127 for %c.
# Seen: @ { | } are no punctuation, and 127 is no control character.
. "$(dirname "$0")/shared/debian-luerl.sh"

cat > script.lua <<'EOF'
local missing = ""
for code = 33, 126 do
  local letter = string.char(code)
  if not letter:match("%w") and not letter:match("%p") then
    missing = missing .. letter
  end
end
return "not %p: " .. missing .. "\n127 is %c: " .. tostring(string.char(127):match("%c") ~= nil)
EOF
run > seen
cat > expected <<'EOF'
not %p: @{|}
127 is %c: false
EOF
diff expected seen

echo 'As found on 28 November 2026, with luerl 1.0.'
