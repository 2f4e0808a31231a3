import { type Anvil, startAnvil } from '../helpers/anvil.ts';
import { gastop } from '../helpers/gastop.ts';
import { type MailServer, openMailServer } from '../helpers/mail-server.ts';
import { openReceiver, type Receiver } from '../helpers/receiver.ts';
import type { Terminal } from '../helpers/terminal.ts';
import { waitFor } from '../helpers/wait-for.ts';

const GWEI = 1_000_000_000n;

/** What an alert passes through from the chain to the people it is for, all of it real. */
export interface AlertParts {
  readonly node: Anvil;
  readonly mailbox: MailServer;
  readonly receiver: Receiver;
  /** The monitor on the node, in a terminal of 80×24. */
  readonly monitor: Terminal;
  /** The settings of mail that the monitor has. */
  readonly mailSettings: Readonly<Record<string, string>>;
  /** A block of that base fee in gwei, `laterSec` after the one before; resolves when the monitor shows it. */
  mine(baseFee: bigint, laterSec?: number): Promise<void>;
  close(): Promise<void>;
}

/** A node at 200 gwei, a mail server, a receiver of webhooks, and the built monitor that may send to them. */
export async function openAlertParts(): Promise<AlertParts> {
  const [node, mailbox, receiver] = await Promise.all([
    startAnvil({ noMining: true, baseFee: 200n * GWEI }),
    openMailServer(),
    openReceiver(),
  ]);
  await node.mine(3);
  const mailSettings = {
    GASTOP_SMTP_URL: `smtp://127.0.0.1:${mailbox.port}`,
    GASTOP_SMTP_FROM: 'Gas <gas@example.org>',
  };
  const monitor = await gastop(['--rpc', node.wsUrl, '--allow-private-targets'], { env: mailSettings });
  await monitor.waitFor(/Average .*\d/);
  return {
    node,
    mailbox,
    receiver,
    monitor,
    mailSettings,
    mine: async (baseFee, laterSec = 12) => {
      await node.rpc('evm_increaseTime', [laterSec]);
      await node.setNextBaseFee(baseFee * GWEI);
      await node.mine();
      const number = Number(await node.rpc('eth_blockNumber'));
      await monitor.waitFor((rows) => rows[0]?.includes(`#${number} `) === true);
    },
    close: async () => {
      await monitor.close();
      await Promise.all([node.stop(), mailbox.stop(), receiver.stop()]);
    },
  };
}

/** What a receiver has, once it has it. */
export async function come<T>(what: string, find: () => T | undefined): Promise<T> {
  await waitFor(find, { what });
  const found = find();
  if (found === undefined) throw new Error(`${what} is gone again`);
  return found;
}
