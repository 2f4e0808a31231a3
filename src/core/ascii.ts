/** Each sign above its substitute. */
const SIGNS = '●◌▸•—–−×·∙’“”░▒▓█─╌┈│╎┊├┤┼┌┐└┘┬┴╭╮╰╯╵┃◇◆▲■✱';
const PLAIN = `*o>*---x|:'"".:+#-=~|";||+++++++..''|!?#^$%`;

/** What stands for a sign where a terminal shows ASCII alone; screens and commands have their own for arrows and `…`. */
export const ASCII_SIGNS: ReadonlyMap<string, string> = new Map([
  ...[...SIGNS].map((sign, place) => [sign, PLAIN[place] ?? '?'] as const),
  ...Object.entries({ '≥': '>=', '≤': '<=', '±': '+-', '¢': 'c', '✓': 'ok', '✗': 'no' }),
]);
