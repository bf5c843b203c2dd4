/** Passwords of at least eight characters that attackers try first, in lower case. Forms warn of them; the server accepts them, because clients use such. */
export const weakPasswords: ReadonlySet<string> = new Set(
  `
00000000 01234567 012345678 0123456789 0987654321 11111111 1111111111 11223344 1122334455 12121212 123123123 1234512345
12341234 12344321 1234554321 12345678 123456780 123456789 1234567890 123456789a 12345678a 123456abc 1234qwer 123qweasd
123qweasdzxc 147258369 1q2w3e4r 1q2w3e4r5t 1qaz2wsx 1qazxsw2 22222222 55555555 66666666 69696969 77777777 789456123
87654321 88888888 987654321 99999999 a1234567 a12345678 a123456789 aa123456 aaaaaaaa abc12345 abcd1234 abcdefgh abcdefg1
admin123 administrator admin1234 asdf1234 asdfasdf asdfghjk asdfghjkl azertyuiop baseball basketball bismillah blink182
butterfly caroline changeme charlie1 chocolate christian christopher cocacola computer danielle diamond1 dragon123 elephant
elizabeth facebook farmbot1 farmbot123 football football1 freedom1 garden123 gardener hello123 iloveyou iloveyou1 iloveyou2
internet isabella jennifer jessica1 jonathan jordan23 killer123 letmein1 letmein123 liverpool maverick michael1 michelle
midnight minecraft monkey123 mustang1 myspace1 nicholas p@ssw0rd pa55word passw0rd passw0rd1 password password! password01
password1 password11 password12 password123 password1234 password2 passwort passwort1 potager1 potager123 princess princess1
q1w2e3r4 q1w2e3r4t5 qazwsxedc qwer1234 qwerasdf qwerty12 qwerty123 qwerty1234 qwertyui qwertyuiop qwertz123 qwertzui qwertzuiop
raspberry rush2112 samantha samsung1 secret123 shadow123 spiderman starwars sunshine sunshine1 superman superman1 sweetheart
test1234 testtest tomatoes trustno1 victoria vegetables welcome1 welcome123 westside whatever xxxxxxxx zaq12wsx zxcvbnm1
zxcvbnm123 zzzzzzzz
`
    .trim()
    .split(/\s+/),
);
