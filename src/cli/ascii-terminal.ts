/** What speaks for a terminal that shows nothing but ASCII. */
export const ASCII_BY_LOCALE = /^(LC_ALL|LC_CTYPE|LANG)=|^TERM=/;

/**
 * The variable by which the terminal shows ASCII alone, as `LANG=C`; `null`: none says so. The C locale and one with
 * another character set than UTF-8 do, and the Linux console, whose font lacks most signs. A locale that names no set says
 * nothing: most terminals show UTF-8 whatever it is.
 */
export function asciiTerminal(env: Readonly<Record<string, string | undefined>>): string | null {
  if (env.TERM === 'linux') return 'TERM=linux';
  const name = (['LC_ALL', 'LC_CTYPE', 'LANG'] as const).find((each) => env[each]);
  const locale = name === undefined ? '' : (env[name] ?? '');
  const charset = /\.([^@]+)/.exec(locale)?.[1];
  const isPlain = /^(C|POSIX)$/.test(locale) || (charset !== undefined && !/^utf-?8$/i.test(charset));
  return isPlain ? `${name}=${locale}` : null;
}
