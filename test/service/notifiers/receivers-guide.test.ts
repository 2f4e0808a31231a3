import { readFile, writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { sign, webhookBody } from '../../../src/service/alerts/notifiers/notifiers.ts';
import { messageOf } from '../../helpers/fired-alert.ts';
import { temporaryFile } from '../../helpers/service.ts';

type Verify = (body: string | Buffer, header: string | undefined, secret: string, nowSec?: number) => boolean;

const guide = await readFile(new URL('../../../docs/WEBHOOKS.md', import.meta.url), 'utf8');

function block(language: string): string {
  const found = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(guide)?.[1];
  if (found === undefined) throw new Error(`docs/WEBHOOKS.md has no ${language} example`);
  return found;
}

async function exampleVerify(): Promise<Verify> {
  const file = await temporaryFile('verify.mjs');
  await writeFile(file, block('js'));
  const { verify } = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as { verify: Verify };
  return verify;
}

it('shows a body as it is sent', () => {
  const message = messageOf('alr_8f2k', { eventId: 'alr_8f2k.3', triggerCount: 3, note: 'deploy now' });
  expect(JSON.parse(block('json'))).toEqual(JSON.parse(webhookBody(message)));
  expect(Object.keys(JSON.parse(block('json')))).toEqual(Object.keys(JSON.parse(webhookBody(message))));
});

it('has an example that takes what gastop signs, and nothing else', async () => {
  const verify = await exampleVerify();
  const secret = 'whsec_test';
  const now = 1_768_478_403;
  const body = webhookBody(messageOf('a', { note: 'é 👩‍🚀' }));
  const header = sign(body, [secret], now);
  expect(verify(body, header, secret, now)).toBe(true);
  expect(verify(Buffer.from(body), header, secret, now + 299)).toBe(true);
  const wrong: [string, string | undefined, string, number][] = [
    [`${body} `, header, secret, now],
    [body.replace('"price', '"Price'), header, secret, now],
    [body, header, 'whsec_other', now],
    [body, header, secret, now + 301],
    [body, header, secret, now - 301],
    [body, header.replace(/^t=\d+/, `t=${now + 1}`), secret, now],
    [body, header.replace(/.$/, (digit) => (digit === '0' ? '1' : '0')), secret, now],
    [body, header.slice(0, -1), secret, now],
    [body, header.replace(/^t=\d+,/, ''), secret, now],
    [body, header.replace(/,.*/, ''), secret, now],
    [body, header.replace('v1=', 'v0='), secret, now],
    [body, '', secret, now],
    [body, undefined, secret, now],
  ];
  for (const [text, signature, key, at] of wrong) expect(verify(text, signature, key, at)).toBe(false);
});

it('has an example that takes either secret for as long as gastop signs with both', async () => {
  const verify = await exampleVerify();
  const now = 1_768_478_403;
  const body = webhookBody(messageOf('a'));
  const both = sign(body, ['whsec_new', 'whsec_old'], now);
  expect(both).toMatch(/^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/);
  expect(['whsec_new', 'whsec_old', 'whsec_older'].map((key) => verify(body, both, key, now))).toEqual([
    true,
    true,
    false,
  ]);
  expect(verify(body, sign(body, ['whsec_new'], now), 'whsec_old', now)).toBe(false);
});
