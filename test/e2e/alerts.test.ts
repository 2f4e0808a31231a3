/** Alerts with real parts: the built program, a node, a mail server, and a receiver that checks signatures. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { startAnvil } from '../helpers/anvil.ts';
import { gastop } from '../helpers/gastop.ts';
import { openMailServer } from '../helpers/mail-server.ts';
import { openReceiver, type Received } from '../helpers/receiver.ts';
import { waitFor } from '../helpers/wait-for.ts';

const GWEI = 1_000_000_000n;

let secret = '';

const [node, mailbox, receiver] = await Promise.all([
  startAnvil({ noMining: true, baseFee: 200n * GWEI }),
  openMailServer(),
  openReceiver(),
]);
await node.mine(3);
const env = {
  GASTOP_SMTP_URL: `smtp://127.0.0.1:${mailbox.port}`,
  GASTOP_SMTP_FROM: 'Gas <gas@example.org>',
};
const monitor = await gastop(['--rpc', node.wsUrl, '--allow-private-targets'], { env });
await monitor.waitFor(/Average .*\d/);

afterAll(async () => {
  await monitor?.close();
  await Promise.all([node?.stop(), mailbox?.stop(), receiver?.stop()]);
});

async function mine(baseFee: bigint): Promise<void> {
  await node.rpc('evm_increaseTime', [12]);
  await node.setNextBaseFee(baseFee * GWEI);
  await node.mine();
  const number = Number(await node.rpc('eth_blockNumber'));
  await monitor.waitFor((rows) => rows[0]?.includes(`#${number} `) === true);
}

/** Whether a secret signed exactly this request within the last five minutes, as a receiver finds out by the README. */
function isSigned({ headers, body }: Received, by: string): boolean {
  const [, time = '', hex = ''] =
    /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['x-gastop-signature'])) ?? [];
  const wanted = createHmac('sha256', by).update(`${time}.${body}`).digest();
  const isEqual = hex !== '' && timingSafeEqual(wanted, Buffer.from(hex, 'hex'));
  return isEqual && Math.abs(Date.now() / 1_000 - Number(time)) < 300;
}

async function taken<T>(what: string, list: readonly T[]): Promise<T> {
  await waitFor(() => list.length > 0, { what });
  return list[0] as T;
}

describe('an alert made with keys', () => {
  it('is armed when it is made, and says once what its webhooks are signed with', async () => {
    await monitor.press('3');
    await monitor.waitFor('No alerts yet');
    await monitor.press('n');
    await monitor.waitFor('New alert');
    // The threshold, then email and webhook beside the terminal, which is ticked already.
    await monitor.press('2', '0', 'tab', 'space', 'right', 'space', 'tab');
    await monitor.press(...'gas@example.org', 'tab');
    monitor.paste(receiver.url);
    await monitor.waitFor(receiver.url);
    await monitor.press('tab', ...'deploy it', 'tab', 'tab', 'tab', 'backspace', '2', '0');
    await monitor.waitFor(/re-arm margin 20 +gwei/);
    await monitor.press('ctrl+s');
    const said = (await monitor.waitFor(/whsec_\S+/)).join('\n');
    secret = /whsec_\S+/.exec(said)?.[0] ?? '';
    await monitor.press('return');
    await monitor.waitFor(/● armed +Average < 20 gwei .* 0 /);
    await monitor.waitFor('[3 Alerts ·1]');
  });

  it('fires when the base fee crosses: on the screen whatever it shows, by the bell and on the desktop', async () => {
    await mine(190n);
    await monitor.press('2');
    await monitor.waitFor('[2 Chart]');
    const before = monitor.output().length;
    await mine(2n);
    const rows = await monitor.waitFor((lines) => /^ ● Average below 20 gwei: /.test(lines.at(-1) ?? ''));
    // The keys that fit stand beside it.
    const [words = ''] = rows.at(-1)?.slice(3).split('   ') ?? [];
    expect(words).toMatch(/^Average below 20 gwei: 1\.\d\d · deploy it$/);
    expect(rows[1]).toContain(' 3 Alerts !1 ');
    const told = `\u0007\u001b]777;notify;gastop;${words}\u0007`;
    expect(monitor.output().slice(before).split(told)).toHaveLength(2);
    expect(monitor.clears).toEqual({ screen: 0, scrollback: 0, reset: 0 });
  });

  it('sends the mail, as plain text and HTML', async () => {
    const { from, to, mail } = await taken('the mail', mailbox.taken);
    expect(from).toBe('gas@example.org');
    expect(to).toEqual(['gas@example.org']);
    expect(mail.from).toEqual({ name: 'Gas', address: 'gas@example.org' });
    expect(mail.to?.map(({ address }) => address)).toEqual(['gas@example.org']);
    expect(mail.subject).toMatch(/gas 1\.\d\d gwei, below 20 gwei \(Average\)$/);
    expect(mail.text).toMatch(/^Average gas on .* is at 1\.\d\d gwei, below 20 gwei\.\n\ndeploy it\n/);
    expect(mail.html).toContain('>deploy it</p>');
  });

  it('posts to the webhook, signed with the secret that was shown', async () => {
    const hook = await taken('the webhook', receiver.received);
    expect(isSigned(hook, secret)).toBe(true);
    expect(isSigned(hook, `${secret}0`)).toBe(false);
    const body = JSON.parse(hook.body);
    expect(body).toMatchObject({
      type: 'alert.fired',
      gasSpeed: 'AVERAGE',
      condition: 'LESS_THAN',
      thresholdGwei: 20,
      blockNumber: Number(await node.rpc('eth_blockNumber')),
      triggerCount: 1,
      note: 'deploy it',
    });
    expect(hook.headers['idempotency-key']).toBe(`${body.eventId}.webhook`);
  });

  it('shows what was delivered, and the chart marks when it fired', async () => {
    await monitor.waitFor('● alert fired');
    await monitor.press('3');
    await monitor.waitFor('[3 Alerts ·1]');
    await monitor.press('return');
    await monitor.waitFor((rows) => /delivered {2}(email|webhook|terminal)/.test(rows.join('\n')));
    await monitor.press('esc');
  });
});
