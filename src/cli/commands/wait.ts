import { formatCount, gweiString } from '../../core/units.ts';
import type { CommandContext } from '../command-context.ts';
import { EXIT } from '../exit-code.ts';
import type { Io } from '../io.ts';
import { refuseUnrunnable } from '../wait/find-command.ts';
import { followPrice, type Reached } from '../wait/follow-price.ts';
import { runCommand } from '../wait/run-command.ts';
import { type WaitFlags, type WaitPlan, waitPlan } from '../wait/wait-plan.ts';
import { warnOfPlainKey } from '../warn-of-plain-key.ts';

/** `gastop wait`; answers the exit code of the command, where it runs one. */
export async function wait(
  { io, loadSettings }: CommandContext,
  [command, ...args]: readonly string[],
  flags: WaitFlags,
): Promise<number> {
  const plan = waitPlan(flags);
  const quiet = flags.quiet === true;
  const { settings } = await loadSettings();
  if (command !== undefined) await refuseUnrunnable(command, io);
  warnOfPlainKey(io, settings.source.value);
  const reached = await followPrice(io, settings, plan, quiet);
  // Whoever asked for the end in the last moment does not get the command any more.
  io.interruption().throwIfAborted();
  if (io.stderr.isTTY === true && !quiet) io.stderr.write(`gastop: ${reachedText(plan, reached)}\n`);
  return command === undefined ? EXIT.ok : runCommand(io, command, args, withPrice(io.env, plan, reached));
}

function reachedText({ lane }: WaitPlan, { price, snapshot }: Reached): string {
  const { blockNumber } = snapshot;
  return `${lane} is ${gweiString(price)} gwei${blockNumber === null ? '' : ` at block ${formatCount(blockNumber)}`}`;
}

/** The command's environment: ours and what it was waited for. What the service does not say is not set. */
function withPrice(env: Io['env'], { lane }: WaitPlan, { price, snapshot }: Reached): Io['env'] {
  const { maxFeePerGas, maxPriorityFeePerGas } = snapshot.lanes[lane];
  return {
    ...env,
    GASTOP_PRICE_GWEI: gweiString(price),
    GASTOP_BLOCK: snapshot.blockNumber?.toString(),
    GASTOP_CHAIN_ID: snapshot.chainId?.toString(),
    GASTOP_LANE: lane,
    GASTOP_MAX_FEE_GWEI: maxFeePerGas === null ? undefined : gweiString(maxFeePerGas),
    GASTOP_TIP_GWEI: maxPriorityFeePerGas === null ? undefined : gweiString(maxPriorityFeePerGas),
    GASTOP_SOURCE: snapshot.source.kind,
  };
}
