/**
 * Alerts with real parts: the built program in a terminal, a node whose base fee really crosses, a mail server, and a
 * receiver of webhooks that checks their signatures.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isSigned } from '../helpers/is-signed.ts';
import { isSlowRun } from '../helpers/rounds.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { type AlertParts, come, openAlertParts } from './alert-parts.ts';

const HOUR_SEC = 3_600;

let parts: AlertParts;
let secret = '';

beforeAll(async () => {
  parts = await openAlertParts();
});

afterAll(() => parts?.close());

/** The list's line of the alert with that condition. */
const rowOf = (rows: readonly string[], condition: string): string =>
  rows.find((row) => row.includes(condition) && !row.includes('▸ Average <')) ?? '';

/** Waits until the list says that of an alert. */
const listed = (condition: string, words: RegExp) =>
  parts.monitor.waitFor((rows) => words.test(rowOf(rows, condition)));

describe('an alert made with keys', () => {
  it('is armed when it is made, and says once what its webhooks are signed with', async () => {
    await parts.monitor.press('3');
    await parts.monitor.waitFor('No alerts yet');
    await parts.monitor.press('n');
    await parts.monitor.waitFor('New alert');
    // The threshold, then email and webhook beside the terminal, which is ticked already.
    await parts.monitor.press('2', '0', 'tab', 'space', 'right', 'space', 'tab');
    await parts.monitor.press(...'gas@example.org', 'tab');
    parts.monitor.paste(parts.receiver.url);
    await parts.monitor.waitFor(parts.receiver.url);
    await parts.monitor.press('tab', ...'deploy it', 'tab', 'tab', 'tab', 'backspace', '2', '0');
    await parts.monitor.waitFor(/re-arm margin 20 +gwei/);
    await parts.monitor.press('ctrl+s');
    const said = (await parts.monitor.waitFor(/whsec_\S+/)).join('\n');
    secret = /whsec_\S+/.exec(said)?.[0] ?? '';
    await parts.monitor.press('return');
    await listed('Average < 20 gwei', /● armed .* 0 /);
    await parts.monitor.waitFor('[3 Alerts ·1]');
  });

  it('fires when the base fee crosses: on the screen whatever it shows, by the bell and on the desktop', async () => {
    await parts.mine(190n);
    await parts.monitor.press('2');
    await parts.monitor.waitFor('[2 Chart]');
    const before = parts.monitor.output().length;
    await parts.mine(2n);
    const rows = await parts.monitor.waitFor((lines) =>
      /^ ● Average below 20 gwei: /.test(lines.at(-2) ?? ''),
    );
    const words = rows.at(-2)?.slice(3).trimEnd() ?? '';
    expect(words).toMatch(/^Average below 20 gwei: 1\.\d\d · deploy it$/);
    expect(rows[1]).toContain(' 3 Alerts !1 ');
    const told = `\u0007\u001b]9;gastop: ${words}\u0007\u001b]777;notify;gastop;${words}\u0007`;
    expect(parts.monitor.output().slice(before).split(told)).toHaveLength(2);
    expect(parts.monitor.clears).toEqual({ screen: 0, scrollback: 0, reset: 0 });
  });

  it('sends the mail, as plain text and HTML', async () => {
    const { from, to, mail } = await come('the mail', () => parts.mailbox.taken[0]);
    expect(from).toBe('gas@example.org');
    expect(to).toEqual(['gas@example.org']);
    expect(mail.from).toEqual({ name: 'Gas', address: 'gas@example.org' });
    expect(mail.to?.map(({ address }) => address)).toEqual(['gas@example.org']);
    expect(mail.subject).toMatch(/gas 1\.\d\d gwei, below 20 gwei \(Average\)$/);
    expect(mail.text).toMatch(/^Average gas on .* is at 1\.\d\d gwei, below 20 gwei\.\n\ndeploy it\n/);
    expect(mail.html).toContain('>deploy it</p>');
  });

  it('posts to the webhook, signed with the secret that was shown', async () => {
    const hook = await come('the webhook', () => parts.receiver.received[0]);
    expect(isSigned(hook, secret)).toBe(true);
    expect(isSigned(hook, `${secret}0`)).toBe(false);
    const body = JSON.parse(hook.body);
    expect(body).toMatchObject({
      type: 'alert.fired',
      gasSpeed: 'AVERAGE',
      condition: 'LESS_THAN',
      thresholdGwei: 20,
      blockNumber: Number(await parts.node.rpc('eth_blockNumber')),
      triggerCount: 1,
      note: 'deploy it',
    });
    expect(hook.headers['idempotency-key']).toBe(`${body.eventId}.webhook`);
  });

  it('shows what was delivered, and the chart marks when it fired', async () => {
    await parts.monitor.waitFor('● alert fired');
    await parts.monitor.press('3');
    // Looked at, so seen.
    await parts.monitor.waitFor('[3 Alerts ·1]');
    await parts.monitor.press('return');
    await parts.monitor.waitFor((rows) => /delivered {2}(email|webhook|terminal)/.test(rows.join('\n')));
    await parts.monitor.press('esc');
  });
});

// The engine that does this is under test in core/alerts and service/alerts.
describe.runIf(isSlowRun)('over the next blocks the list shows', () => {
  const BELOW = 'Average < 20 gwei';

  it('that it cools down, whatever the price does, and fires again after it', async () => {
    await listed(BELOW, /◌ cooldown (?:\w{3} )?\d\d:\d\d .* reached +1 /);
    await parts.mine(300n);
    await listed(BELOW, /◌ cooldown .* ↓ \d+ % +1 /);
    await parts.mine(2n);
    await listed(BELOW, /◌ cooldown .* reached +1 /);
    await parts.mine(2n, HOUR_SEC);
    await listed(BELOW, /◌ cooldown .* reached +2 /);
  });

  it('that after its cooldown it waits until the price has left by the hysteresis', async () => {
    // Between the threshold and 20 gwei above it.
    await parts.mine(40n, HOUR_SEC);
    await listed(BELOW, /◌ cooling down +Average .* ↓ \d+ % +2 /);
    await parts.mine(2n);
    await listed(BELOW, /◌ cooling down +Average .* reached +2 /);
    await parts.mine(200n);
    await listed(BELOW, /● armed +Average .* ↓ \d+ % +2 /);
    await parts.mine(2n);
    await listed(BELOW, /◌ cooldown .* reached +3 /);
  });

  it('that one made to fire once disables itself, and fires again once it is enabled', async () => {
    const above = 'Fast > 500 gwei';
    await parts.monitor.press('n');
    await parts.monitor.waitFor('New alert');
    await parts.monitor.press(...'500', 'shift+tab', 'right', 'shift+tab', 'right');
    await parts.monitor.press('tab', 'tab', 'tab', 'tab', 'tab', 'tab', 'right');
    await parts.monitor.waitFor(/\[disabled\]/);
    await parts.monitor.press('ctrl+s');
    await listed(above, /● armed .* 0 /);
    await parts.mine(900n);
    await parts.monitor.waitFor((rows) => /^ ● Fast above 500 gwei: /.test(rows.at(-2) ?? ''));
    await listed(above, /disabled .* 1 /);
    await parts.mine(200n);
    await parts.mine(900n);
    await listed(above, /disabled .* reached +1 /);
    await parts.monitor.press('space');
    await listed(above, /◌ cooldown .* reached +1 /);
    await parts.mine(900n, HOUR_SEC);
    await listed(above, /disabled .* 2 /);
    await parts.mine(200n);
  });

  it('every firing once: by mail, to the webhook, and nothing else', async () => {
    await waitFor(() => parts.mailbox.taken.length >= 3 && parts.receiver.received.length >= 3);
    expect(parts.mailbox.taken).toHaveLength(3);
    const events = parts.receiver.received.map(({ body }) => JSON.parse(body).triggerCount);
    expect(events).toEqual([1, 2, 3]);
    const keys = parts.receiver.received.map(({ headers }) => headers['idempotency-key']);
    expect(new Set(keys).size).toBe(3);
    expect(parts.receiver.received.every((hook) => isSigned(hook, secret))).toBe(true);
  });
});
