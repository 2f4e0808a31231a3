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
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

const PAGE =
  'font-family:-apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif;font-size:16px;line-height:1.5;max-width:36em';

/** The words of a fired alert as a mail's HTML: the same paragraphs as the plain text, nothing loaded from anywhere. */
export function alertHtml(message: AlertMessage): string {
  const { subject, plain } = alertText(message);
  const paragraphs = plain
    .split('\n\n')
    .map((paragraph) => `<p>${escapeHtml(paragraph).replaceAll('\n', '<br>\n')}</p>`)
    .join('\n');
  return [
    '<!doctype html>',
    `<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head>`,
    `<body><div style="${PAGE}">`,
    paragraphs,
    '</div></body></html>',
    '',
  ].join('\n');
}
