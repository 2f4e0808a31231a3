import fc from 'fast-check';

const HALVES = { first: 0xd800, count: 0x800 };

/** Any character, those among them that mean something to terminals and parsers; quicker than the library's `binary`. */
export const anyCharacter = fc
  .oneof(fc.nat(0xff), fc.nat(0x10ffff - HALVES.count))
  .map((code) => String.fromCodePoint(code < HALVES.first ? code : code + HALVES.count));

/** Text as an attacker would make it: sequences, controls, overrides, HTML, headers and halves of characters, in any order. */
export const hostileText = fc
  .array(
    fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.constantFrom(
        '\x1b[2J',
        '\x1b]0;t\x07',
        '\x1b]8;;http://x\x1b\\',
        '\x9b31m',
        '\x1bP1$r\x1b\\',
        '\x1bc',
      ),
      fc.constantFrom('\u202e', '\u2066', '\u200b', '\u00ad', '\u{e0041}', '\ufeff', '\ud83d', '\ude00'),
      fc.constantFrom('\u200c', '\u200d', '\u{1f3f4}', '\u{e0067}', '\u{e007f}', '\u{1f469}', 'م', 'a'),
      fc.constantFrom('<script>', '</p>', '&lt;', '"', "'", '\r\nBcc: x@y.test'),
      fc.constantFrom('\r', '\n', '\t', '\u2028', '\x00', '\x1b', '\x7f', '\x85', '\x9d'),
    ),
  )
  .map((parts) => parts.join(''));
