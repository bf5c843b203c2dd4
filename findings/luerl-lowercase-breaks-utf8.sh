#!/bin/sh
# Luerl 1.0 of Debian 12 (erlang-luerl 1:1.0-2, on Erlang 25): string.lower and string.upper break UTF-8.
# Expected: as in C's locale: bytes beyond ASCII stay as they are.
# Seen: each byte is a letter of Latin-1: the first byte of Ö, C3, becomes E3, and the text is no UTF-8 any more. upper
# keeps é, because C3 is a capital letter there.
. "$(dirname "$0")/shared/debian-luerl.sh"

cat > script.lua <<'EOF'
local function bytes(text)
  local all = {}
  for i = 1, #text do
    all[i] = string.format("%X", text:byte(i))
  end
  return table.concat(all, " ")
end
return "lower: " .. bytes(("MÖHRE"):lower()) .. "\nupper: " .. bytes(("é"):upper())
EOF
run > seen
cat > expected <<'EOF'
lower: 6D E3 96 68 72 65
upper: C3 A9
EOF
diff expected seen

echo 'As found on 28 November 2026, with luerl 1.0.'
