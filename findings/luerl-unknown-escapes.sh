#!/bin/sh
# Luerl 1.0 of Debian 12 (erlang-luerl 1:1.0-2, on Erlang 25): escape sequences that Lua has not are accepted, some with
# a meaning of Erlang.
# Expected: "invalid escape sequence" for "\\s", "\\d", "\\q", the bell for "\\a".
# Seen: "\\s" is a space, "\\d" the character 127, "\\e" 27, "\\q" a q, and "\\a" an a instead of the bell.
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
return table.concat({ ("\s"):byte(), ("\d"):byte(), ("\e"):byte(), ("\q"):byte(), ("\a"):byte() }, " ")
EOF
run > seen
cat > expected <<'EOF'
32 127 27 113 97
EOF
diff expected seen

echo 'As found on 28 November 2026, with luerl 1.0.'
