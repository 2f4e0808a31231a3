import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import type { Hex } from '../../src/core/block.ts';
import { type Anvil, startAnvil } from '../helpers/anvil.ts';
import { GWEI, type Signing, setBalance, sign } from '../helpers/auto-tx-rig.ts';
import { GASTOP } from '../helpers/gastop.ts';
import { type LeakWatch, watchLeaks } from '../helpers/leak-watch.ts';
import {
  openTerminal,
  type ScreenQuestion,
  type Terminal,
  type TerminalOptions,
} from '../helpers/terminal.ts';

export const ETHER = 10n ** 18n;
export const RECEIVER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

/** What is said of an auto-tx in the form. */
export interface Order {
  readonly target: string;
  /** What its line in the list begins with after its state: `0.11 ETH to 0x7099…79C8`. */
  readonly does: string;
  readonly note?: string;
  readonly expires?: string;
  /** Its target is reached already, which is asked about. */
  readonly isDue?: boolean;
}

/** `before` runs in the process before the program. */
export type OpenOptions = Omit<TerminalOptions, 'args'> & { readonly before?: string };

export interface Receipt {
  readonly blockNumber: number;
  readonly status: number;
  readonly gasUsed: bigint;
  readonly effectiveGasPrice: bigint;
}

/** A real node that mines when it is told to, the built program beside it, and a watch over what programs write. */
export interface AutoTxParts {
  readonly node: Anvil;
  readonly leaks: LeakWatch;
  /** A folder for the databases, the settings and the logs of all programs. */
  readonly home: string;
  /** A new account with ten ether. Its key is watched as well. */
  account(ether?: bigint): Promise<PrivateKeyAccount>;
  /** What a wallet signs: 0.01 ETH to {@link RECEIVER} at no more than 500 gwei, unless told; nobody may see it. */
  signed(account: PrivateKeyAccount, signing?: Signing): Promise<Hex>;
  /** The built program in a terminal; what it writes is looked through by {@link written}. */
  open(args: readonly string[], options?: OpenOptions): Promise<Terminal>;
  /** Another thing that a program wrote. */
  wrote(text: string): void;
  /** All that every program wrote so far. */
  written(): readonly string[];
  head(): Promise<number>;
  /** The base fee of the block after the last one, as the node says it, wei per gas. */
  nextBase(): Promise<bigint>;
  knows(hash: Hex): Promise<boolean>;
  receipt(hash: Hex): Promise<Receipt | null>;
  close(): Promise<void>;
}

export async function openAutoTxParts(): Promise<AutoTxParts> {
  const node = await startAnvil({ noMining: true, baseFee: 60n * GWEI });
  await node.mine(3);
  const home = await mkdtemp(join(tmpdir(), 'gastop-auto-txs-'));
  const leaks = watchLeaks();
  const terminals: Terminal[] = [];
  const texts: string[] = [];
  return {
    node,
    leaks,
    home,
    account: async (ether = 10n) => {
      const key = generatePrivateKey();
      leaks.watchDigits(key);
      const account = privateKeyToAccount(key);
      await setBalance(node, account.address, ether * ETHER);
      return account;
    },
    signed: async (account, signing = {}) => {
      const signed = await sign(account, { to: RECEIVER, value: ETHER / 100n, ...signing });
      leaks.watchSigned(signed);
      return signed;
    },
    open: async (args, { before, ...options } = {}) => {
      const first =
        before === undefined ? [] : ['--import', `data:text/javascript,${encodeURIComponent(before)}`];
      const terminal = await openTerminal({ home, ...options, args: [...first, GASTOP, ...args] });
      terminals.push(terminal);
      return terminal;
    },
    wrote: (text) => {
      texts.push(text);
    },
    written: () => [...terminals.map((terminal) => terminal.output()), ...texts],
    head: async () => Number(await node.rpc('eth_blockNumber')),
    nextBase: async () => {
      const history = (await node.rpc('eth_feeHistory', ['0x1', 'latest', []])) as {
        baseFeePerGas: [string, string];
      };
      return BigInt(history.baseFeePerGas[1]);
    },
    knows: async (hash) => (await node.rpc('eth_getTransactionByHash', [hash])) !== null,
    receipt: async (hash) => {
      const found = (await node.rpc('eth_getTransactionReceipt', [hash])) as Record<string, string> | null;
      return found === null
        ? null
        : {
            blockNumber: Number(found.blockNumber),
            status: Number(found.status),
            gasUsed: BigInt(found.gasUsed ?? 0),
            effectiveGasPrice: BigInt(found.effectiveGasPrice ?? 0),
          };
    },
    close: async () => {
      for (const terminal of terminals) await terminal.close();
      await node.stop();
      await rm(home, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/** Mines a block, with this base fee if it is given, and waits until the monitor shows it; answers its number. */
export async function mineShown({ node }: AutoTxParts, monitor: Terminal, gwei?: number): Promise<number> {
  if (gwei !== undefined) await node.setNextBaseFee(BigInt(Math.round(gwei * 1e9)));
  await node.mine();
  const number = Number(await node.rpc('eth_blockNumber'));
  await monitor.waitFor((rows) => rows[0]?.includes(`#${number} `) === true);
  return number;
}

/** The form of a new auto-tx, from the list. */
export async function openForm(monitor: Terminal): Promise<void> {
  await monitor.press('n');
  await monitor.waitFor('New auto-tx');
  await monitor.waitFor('paste it here; it is never shown');
}

/** Fills in what comes after the pasted transaction, strict, and stops before it is scheduled. */
export async function fillOrder(
  monitor: Terminal,
  { target, note = '', expires }: Omit<Order, 'does'>,
): Promise<void> {
  await monitor.press('tab', 'ctrl+u', ...target, 'tab', 'tab', 'right', 'tab');
  if (expires !== undefined) await monitor.press('ctrl+u', ...expires);
  await monitor.press('tab', ...note);
  await monitor.waitFor(note === '' ? /▸ note/ : `${note}`);
}

/** Pastes what is signed into the form and schedules it; strict. The cursor is on it then. */
export async function handOver(monitor: Terminal, signed: Hex, order: Order): Promise<void> {
  await openForm(monitor);
  monitor.paste(signed);
  await monitor.waitFor(/signed transaction, \d+ bytes/);
  await fillOrder(monitor, order);
  await monitor.press('ctrl+s');
  if (order.isDue === true) {
    await monitor.waitFor('Send it at once?');
    await monitor.press('y');
  }
  await monitor.waitFor(marked(order.does, /./));
}

/** Leaves the form and throws away what stands in it. */
export async function leaveForm(monitor: Terminal): Promise<void> {
  await monitor.press('esc');
  await monitor.waitFor(/Leave without/);
  await monitor.press('y');
  await monitor.waitFor(/Auto-txs \d/);
}

const markedLine = (rows: readonly string[]) => rows.slice(3).find((row) => row.startsWith(' ▸ ')) ?? '';

/** Whether the marked auto-tx of the list does that, and its line says `words`. */
export const marked =
  (does: string, words: RegExp): ScreenQuestion =>
  (rows) =>
    markedLine(rows).includes(does) && words.test(markedLine(rows));
