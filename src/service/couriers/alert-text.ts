import type { AlertMessage } from '../../core/alerts/kept-alert.ts';
import { priceBeside } from '../../core/alerts/price-beside.ts';
import { cleanText } from '../../core/clean-text.ts';
import { gweiString } from '../../core/units.ts';

/** A fired alert in words. Nothing in it can act on a terminal; what takes markup must still escape it. */
export interface AlertText {
  /** One line without the note: a mail's subject. */
  readonly subject: string;
  /** Where the prices are not of a real chain now: said first, and loudly. */
  readonly warning: string | null;
  /** Without the warning: what happened first, then the note, then where it comes from. Some have several lines. */
  readonly paragraphs: readonly string[];
  /** All of it as plain text. */
  readonly plain: string;
}

const LANE = { slow: 'Slow', average: 'Average', fast: 'Fast' } as const;
const LONGEST_CHAIN_NAME = 60;

const LOUD = {
  rpc: null,
  replay: { badge: '[REPLAY]', warning: 'REPLAY: recorded prices of the past, not what gas costs now.' },
  simulated: { badge: '[SIMULATED]', warning: 'SIMULATED: made-up prices, no real chain costs this.' },
} as const;

/** What is said of an alert that fired, the same on every channel. */
export function alertText(message: AlertMessage): AlertText {
  const chain = cleanText(message.chainName, LONGEST_CHAIN_NAME);
  const side = message.condition === 'LESS_THAN' ? 'below' : 'above';
  const now = `${priceBeside(BigInt(message.price), BigInt(message.threshold))} gwei`;
  const limit = `${gweiString(BigInt(message.threshold))} gwei`;
  const lane = LANE[message.lane];
  const loud = LOUD[message.sourceKind];
  const note = cleanNote(message.note);
  const paragraphs = [
    `${lane} gas on ${chain} is at ${now}, ${side} ${limit}.`,
    note,
    [
      `Block ${message.blockNumber.toLocaleString('en-US')}, ${timeWords(message.blockTimestamp)}`,
      `Alert ${cleanText(message.alertId)}, ${countWords(message.triggerCount)}`,
    ].join('\n'),
  ].filter((paragraph) => paragraph !== '');
  const warning = loud?.warning ?? null;
  return {
    subject: `${loud === null ? '' : `${loud.badge} `}${chain} gas ${now}, ${side} ${limit} (${lane})`,
    warning,
    paragraphs,
    plain: [...(warning === null ? [] : [warning]), ...paragraphs].join('\n\n'),
  };
}

function timeWords(timestampSec: number): string {
  const at = new Date(timestampSec * 1_000);
  if (Number.isNaN(at.getTime())) return 'at an unknown time';
  return `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

function countWords(count: number): string {
  return count === 1 ? 'fired for the first time' : `has fired ${count.toLocaleString('en-US')} times`;
}

/**
 * What joins letters (Persian, Indic scripts) and emoji, and the tags that make the flags of England, Scotland and
 * Wales: invisible by themselves, and so taken out for terminals, but without them a note is another one.
 */
const JOINERS = /([\u200c\u200d]+|(?<=\u{1f3f4})[\u{e0030}-\u{e007a}]{1,6}\u{e007f})/u;
/** A joiner behind another, or not between two things that can be joined. */
const IDLE_JOINERS =
  /(?<=[\u200c\u200d])[\u200c\u200d]|(?<![\p{L}\p{M}\p{N}\p{S}])[\u200c\u200d]+|[\u200c\u200d]+(?![\p{L}\p{M}\p{N}\p{S}\u200c\u200d])/gu;
const LINE_BREAK = /\r\n|[\n\v\f\r\x85\u2028\u2029]/;

/** A note without what could act on a terminal, a header or a reader's eye; its lines stay. */
export function cleanNote(note: string): string {
  return note
    .split(LINE_BREAK)
    .map((line) =>
      line
        .split(JOINERS)
        .map((part, index) => (index % 2 === 1 ? part : cleanText(part)))
        .join('')
        .replace(IDLE_JOINERS, '')
        .trimEnd(),
    )
    .join('\n')
    .trim();
}
