#!/bin/sh
# Luerl 1.0 of Debian 12 (erlang-luerl 1:1.0-2, on Erlang 25): %p of patterns lacks four characters, and %c the
# character 127.
# Expected: all 32 punctuation characters of ASCII for %p, and 127 for %c.
# Seen: @ { | } are no punctuation, and 127 is no control character.
# Needs Debian's erlang-base; the package itself is unpacked in a temporary folder.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq erlang-luerl=1:1.0-2 2>/dev/null
dpkg -x erlang-luerl_*.deb .

# Runs script.lua: prints its result, or why it ended.
run() {
  erl -noshell -pa usr/lib/erlang/lib/luerl-1/ebin -eval '
    {ok, Script} = file:read_file("script.lua"),
    case luerl:eval(Script, luerl:init()) of
      {ok, [Text | _]} when is_binary(Text) -> io:format("~ts~n", [Text]);
      {error, Reason, _} when is_tuple(Reason) -> io:format("ends: ~w~n", [element(1, Reason)]);
      {error, Reason, _} -> io:format("ends: ~w~n", [Reason])
    end,
    halt().'
}

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
