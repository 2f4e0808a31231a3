import * as z from 'zod';
import { payloadOf, thresholdPayload } from '../client/views/alerts.ts';
import { statusOf } from '../client/views/auto-txs.ts';
import { AlertCreation } from '../contract/alerts.ts';
import { PriceGwei } from '../contract/primitives.ts';
import { AlertParameter, AutoTxParameter } from '../contract/queries.ts';
import { LISTED_ALERT, LISTED_AUTO_TX, listedAlert, listedAutoTx } from './read-tools.ts';
import { readWritten, Written } from './threshold-tool.ts';
import { defineTool, each, Text, type ToolContext, ToolError } from './tool.ts';

const createAlert = defineTool({
  name: 'create_alert',
  title: 'Create an alert',
  description:
    'Makes an alert that notifies when the price of a lane is below or above a threshold: a price in gwei, or a rule such as $0.40/swap that follows the price of the coin or the past. Channel TERMINAL needs no target: it shows in every running monitor. The secret that signs webhooks is not told here.',
  effect: 'adds',
  input: AlertCreation.extend({ threshold: Written.optional(), thresholdGwei: PriceGwei.optional() }),
  output: LISTED_ALERT,
  run: async ({ client, signal }, { threshold, ...alert }) => {
    if ((threshold === undefined) === (alert.thresholdGwei === undefined))
      throw new ToolError('give either threshold, such as "$0.40/swap" or "5", or thresholdGwei');
    const priced = threshold === undefined ? {} : thresholdPayload(readWritten(threshold));
    return listedAlert(await client.createAlert({ ...alert, ...priced }, { signal }));
  },
});

const { gasSpeed, condition, cooldownMs, disableOnce, note } = AlertCreation.shape;

const updateAlert = defineTool({
  name: 'update_alert',
  title: 'Change an alert',
  description:
    'Changes what is given of an alert; the rest stays, as do its history, its savings and whom it notifies.',
  effect: 'changes',
  input: AlertParameter.extend({
    threshold: Written.optional(),
    gasSpeed: gasSpeed.optional(),
    condition: condition.optional(),
    cooldownMs: cooldownMs.unwrap().optional(),
    disableOnce: disableOnce.unwrap().optional(),
    note: note.unwrap().optional(),
  }),
  output: LISTED_ALERT,
  run: async ({ client, signal }, { id, threshold, ...given }) => {
    const priced = threshold === undefined ? {} : thresholdPayload(readWritten(threshold));
    const stored = payloadOf(await client.alert(id, { signal }));
    const changes = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    const fresh = { gasSpeed: 'AVERAGE', condition: 'LESS_THAN', channels: [] };
    const alert = { ...fresh, ...stored, ...changes, ...priced };
    const updated = await client.updateAlert(id, alert, { signal });
    return listedAlert(updated ?? (await client.alert(id, { signal })));
  },
});

const statusTool = (verb: 'enable' | 'disable', status: string, what: string) =>
  defineTool({
    name: `${verb}_alert`,
    title: `${verb === 'enable' ? 'Enable' : 'Disable'} an alert`,
    description: what,
    effect: 'changes',
    input: AlertParameter,
    output: { id: Text, ...each(Text, 'status') },
    run: async ({ client, signal }: ToolContext, { id }) => {
      const alert = await client.setAlertStatus(id, status, { signal });
      return { id, status: alert?.status ?? status };
    },
  });

const deleteAlert = defineTool({
  name: 'delete_alert',
  title: 'Delete an alert',
  description: 'Deletes an alert with its history; this cannot be undone.',
  effect: 'removes',
  input: AlertParameter,
  output: { id: Text, deleted: z.literal(true) },
  run: async ({ client, signal }, { id }) => {
    await client.deleteAlert(id, { signal });
    return { id, deleted: true as const };
  },
});

const cancelAutoTx = defineTool({
  name: 'cancel_auto_tx',
  title: 'Cancel an auto-tx',
  description:
    'Cancels a signed transaction that waits for its price: it is never broadcast. One that was submitted can only be replaced from the wallet.',
  effect: 'removes',
  input: AutoTxParameter,
  output: LISTED_AUTO_TX,
  run: async ({ client, signal }, { id }) => {
    const cancelled = (await client.cancelAutoTx(id, { signal })) ?? (await client.autoTx(id, { signal }));
    const { status } = cancelled;
    if (status === null || statusOf(cancelled) === 'CANCELLED') return listedAutoTx(cancelled);
    throw new ToolError(
      `the service says that it is ${status.toLowerCase()}, not cancelled; list_auto_txs shows it`,
    );
  },
});

/** Tools that change something; none takes a signature or a key. */
export const WRITE_TOOLS = [
  createAlert,
  updateAlert,
  statusTool('enable', 'PENDING', 'Arms an alert again, so that it watches the price.'),
  statusTool('disable', 'DISABLED', 'Disables an alert: it stays, and watches nothing until it is enabled.'),
  deleteAlert,
  cancelAutoTx,
];
