import type { AlertMessage } from '../../core/alerts/kept-alert.ts';
import { alertText } from './alert-text.ts';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text as it stands in HTML, within elements and quoted attributes. */
function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

const PAGE =
  'font-family:-apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif;font-size:16px;line-height:1.5;max-width:36em;overflow-wrap:anywhere';
/** Black on yellow, in dark mail programs too. */
const WARNING = 'background-color:#ffd84d;color:#000;font-weight:bold;padding:8px 12px';
const HEADLINE = 'font-size:18px;font-weight:bold';
const SMALL = 'font-size:13px;opacity:0.75';

/** The words of a fired alert as a mail's HTML: the same paragraphs as the plain text, nothing loaded from anywhere. */
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
