#!/bin/sh
# Luerl 1.0 of Debian 12 (erlang-luerl 1:1.0-2, on Erlang 25): gsub with %w* replaces the end of a match once more.
# Expected: "x x" for ("abc def"):gsub("%w*", "x"), as Lua 5.4 does.
# Seen: "xx xx", four replacements.
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
local text, count = ("abc def"):gsub("%w*", "x")
return text .. ", " .. count
EOF
run > seen
cat > expected <<'EOF'
xx xx, 4
EOF
diff expected seen

echo 'As found on 28 November 2026, with luerl 1.0.'
