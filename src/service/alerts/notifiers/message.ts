import { PRICE_TITLES } from '../../../core/advice.ts';
import type { AlertMessage } from '../../../core/alerts/alert-rule.ts';
import { cleanNote, cleanText } from '../../../core/text.ts';
import { exactGwei, formatCount, priceBeside } from '../../../core/units.ts';

const LONGEST_CHAIN_NAME = 60;

const LOUD = {
  rpc: null,
  replay: { badge: '[REPLAY]', warning: 'REPLAY: recorded prices of the past, not what gas costs now.' },
  simulated: { badge: '[SIMULATED]', warning: 'SIMULATED: made-up prices, no real chain costs this.' },
} as const;

/** Text of a fired alert, safe for terminals; markup must still be escaped. */
export function alertText(message: AlertMessage) {
  const chain = cleanText(message.chainName, LONGEST_CHAIN_NAME);
  const side = message.condition === 'LESS_THAN' ? 'below' : 'above';
  const [price, threshold] = [BigInt(message.price), BigInt(message.threshold)];
  const now = `${priceBeside(price, threshold)} gwei`;
  const compared =
    message.rule === undefined
      ? `${exactGwei(threshold)} gwei`
      : `${cleanText(message.rule)} (${priceBeside(threshold, price)} gwei)`;
  const lane = PRICE_TITLES[message.lane];
  const loud = LOUD[message.sourceKind];
  const note = sentNote(message.note);
  const paragraphs = [
    `${lane} gas on ${chain} is at ${now}, ${side} ${compared}.`,
    note,
    [
      `Block ${formatCount(message.blockNumber)}, ${timeWords(message.blockTimestamp)}`,
      `Alert ${cleanText(message.alertId)}, ${countWords(message.triggerCount)}`,
    ].join('\n'),
  ].filter((paragraph) => paragraph !== '');
  const warning = loud?.warning ?? null;
  return {
    /** One line without the note. */
    subject: `${loud === null ? '' : `${loud.badge} `}${chain} gas ${now}, ${side} ${compared} (${lane})`,
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
  return count === 1 ? 'fired for the first time' : `has fired ${formatCount(count)} times`;
}

/** A note for sending: keeps its lines, without blanks around them. */
export function sentNote(note: string): string {
  return cleanNote(note)
    .split(/\r?\n/)
    .map((line) => line.replaceAll('\t', ' ').trimEnd())
    .join('\n')
    .trim();
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

const PAGE =
  'font-family:-apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif;font-size:16px;line-height:1.5;max-width:36em;overflow-wrap:anywhere';
/** Black on yellow, in dark mail programs too. */
const WARNING = 'background-color:#ffd84d;color:#000;font-weight:bold;padding:8px 12px';
const HEADLINE = 'font-size:18px;font-weight:bold';
const SMALL = 'font-size:13px;opacity:0.75';

/** A fired alert as HTML mail: the paragraphs of the plain text, without external resources. */
export function alertHtml(message: AlertMessage): string {
  const { subject, warning, paragraphs } = alertText(message);
  const last = paragraphs.length - 1;
  return [
    '<!doctype html>',
    `<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head>`,
    `<body><div style="${PAGE}">`,
    ...(warning === null ? [] : [paragraph(warning, WARNING)]),
    ...paragraphs.map((text, at) => paragraph(text, at === 0 ? HEADLINE : at === last ? SMALL : null)),
    '</div></body></html>',
    '',
  ].join('\n');
}

function paragraph(text: string, style: string | null): string {
  const lines = escapeHtml(text).replaceAll('\n', '<br>\n');
  return style === null ? `<p dir="auto">${lines}</p>` : `<p style="${style}">${lines}</p>`;
}
