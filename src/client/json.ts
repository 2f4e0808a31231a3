export type JsonRecord = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The parsed text, or `undefined` (which JSON cannot say) where it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch {
    return undefined;
  }
}

/** Whether a text is a web page (or other markup) where JSON was awaited. */
export function isWebPage(text: string): boolean {
  return /^\s*(<!doctype|<html|<\?xml|<head|<body)/i.test(text.replace(/^\ufeff/, ''));
}

/** What could act on a terminal inside JSON strings: there an escape means the same. */
const UNSAFE = /[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * Valid JSON as it came, harmless on a terminal: the few unsafe characters that JSON allows to stand raw are
 * written as `\u` escapes, which mean the same to any reader; line ends are plain.
 */
export function harmlessJson(text: string): string {
  return text
    .replace(/^\ufeff/, '')
    .replace(/\r\n?/g, '\n')
    .replace(UNSAFE, (character) =>
      Array.from({ length: character.length }, (_, index) => character.charCodeAt(index))
        .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
        .join(''),
    );
}
