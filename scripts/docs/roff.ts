/** Characters that roff takes for something else, as they are to be printed. */
const SPECIAL: Readonly<Record<string, string>> = {
  '\\': '\\e',
  '-': '\\-',
  "'": '\\(aq',
  '`': '\\(ga',
  '^': '\\(ha',
  '~': '\\(ti',
};

/** `text` as roff prints it: nothing in it is a request, a hyphen is one to copy, and what is not ASCII is named. */
export function roff(text: string): string {
  return text
    .replaceAll(/[\\'`^~-]/g, (character) => SPECIAL[character] ?? character)
    .replaceAll(/[^\x20-\x7e\n]/gu, (character) => {
      const point = character.codePointAt(0) ?? 0;
      return `\\[u${point.toString(16).toUpperCase().padStart(4, '0')}]`;
    })
    .replaceAll(/^\./gm, '\\&.');
}

export const bold = (text: string): string => `\\fB${roff(text)}\\fR`;

/** An entry with a term of its own line and an indented text. */
export function entry(term: string, text: string): string {
  return `.TP\n${term}\n${text}`;
}

/** Lines that stay as they are, such as examples. */
export function verbatim(text: string): string {
  return `.PP\n.nf\n.RS 4\n${roff(text)}\n.RE\n.fi`;
}

/** A section's title; quoted, and without what would end the quotes. */
export function section(title: string): string {
  return `.SH "${roff(title.replaceAll('"', ''))}"`;
}

export function subsection(title: string): string {
  return `.SS "${roff(title.replaceAll('"', ''))}"`;
}
