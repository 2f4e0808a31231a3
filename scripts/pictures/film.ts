import type { Terminal } from '../../test/helpers/terminal.ts';
import type { Frame } from './film-svg.ts';
import { LATER, openDemo, QUIET, stillScreen } from './scenes.ts';

/** What the film is of, for those who cannot see it. */
export const FILM_TITLE =
  'The monitor: it says to wait, an alert fires, the price falls to what was waited for, and a signed transaction goes out';

const ROWS = 27;

/** The row of the average lane, and its price. */
const LANES = /^│ Average │ +([\d.]+) /m;

/** This block of the demo or one of the next forty, as its header shows it: a busy machine may be late. */
const block = (number: number) =>
  new RegExp(
    `#(?:${Array.from({ length: 40 }, (_, later) => (number + later).toLocaleString('en')).join('|')}) `,
  );

/** The first minutes of the demo, in frames: each a screen of the program as it was. They take as long as its blocks. */
export async function takeFilm(): Promise<readonly Frame[]> {
  await using monitor = await openDemo(ROWS);
  const frames: Frame[] = [];
  const take = async (seconds: number, caption: string) => {
    frames.push({ screen: await stillScreen(monitor), seconds, caption });
  };
  const price = () => Number(LANES.exec(monitor.screen().join('\n'))?.[1]);

  await monitor.waitFor(/^ WAIT up to .* gwei/m, LATER);
  const first = headOf(monitor);
  // By a week of the past, and not by an hour of it.
  await monitor.waitFor(/^ price(?: +[\d.]+){5}$/m, LATER);
  await monitor.waitFor(QUIET, LATER);
  const [, wanted = '0'] = /^ WAIT up to \S+ for ([\d.]+) gwei/m.exec(monitor.screen().join('\n')) ?? [];
  await take(4, 'A wait pays, it says: for how long, how much, and how likely');
  await monitor.press('3');
  await monitor.waitFor(/Alerts 3/, LATER);
  await monitor.press('enter');
  await monitor.waitFor(/Deliveries +2/, LATER);
  await take(4, 'An alert has fired: on this terminal, and by mail');
  await monitor.press('esc', '1');
  await monitor.waitFor(LANES, LATER);
  for (let head = first + 3; price() > Number(wanted) && head < first + 40; head += 3) {
    await monitor.waitFor(block(head), LATER);
    await monitor.waitFor(QUIET, LATER);
    if (head >= first + 6) await take(1, 'Blocks later');
    if (head === first + 12) await takeSent(monitor, take);
  }
  await take(4, 'What it waited for is there: send');
  return frames;
}

async function takeSent(
  monitor: Terminal,
  take: (seconds: number, caption: string) => Promise<void>,
): Promise<void> {
  await monitor.press('4');
  await monitor.waitFor(/included +0\.5 ETH/, LATER);
  // What is on its way stands first.
  await monitor.press('g');
  await monitor.waitFor(/^ 0\.5 ETH to .* once its own price/m);
  await monitor.waitFor(QUIET, LATER);
  await take(4, 'A transaction that your wallet has signed went out by itself');
  await monitor.press('1');
  await monitor.waitFor(LANES, LATER);
}

function headOf(monitor: Terminal): number {
  const [, digits = '0'] = /#([\d,]+)/.exec(monitor.screen()[0] ?? '') ?? [];
  return Number(digits.replaceAll(',', ''));
}
