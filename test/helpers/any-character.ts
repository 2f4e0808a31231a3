import fc from 'fast-check';

const HALVES = { first: 0xd800, count: 0x800 };

/**
 * Any character of Unicode, halves of pairs aside, with many that mean something to terminals and parsers among them.
 * The library's own `binary` first makes a table of all there are, for more than a second in each worker.
 */
export const anyCharacter = fc
  .oneof(fc.nat(0xff), fc.nat(0x10ffff - HALVES.count))
  .map((code) => String.fromCodePoint(code < HALVES.first ? code : code + HALVES.count));
