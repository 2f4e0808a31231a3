import { PATHS, type V1Route } from '../contract/routes.ts';
import type { CallOptions, GasClient } from './client.ts';
import { ClientError } from './errors.ts';
import { describedRoute, type ServiceDescription } from './openapi.ts';
import type { SessionPace } from './session-pace.ts';

/**
 * The same client at a session's pace: while that holds questions back they fail without being asked. Routes that
 * the service's description, once it is known, does not list are said to be absent without being asked either.
 */
export function createPacedClient(client: GasClient, pace: SessionPace): GasClient {
  let described: ServiceDescription | null = null;
  const mustBeThere = (path: string, method: V1Route['method'] = 'get') => {
    // A document that does not even know the prices that are being shown is not to be relied on.
    const isReliable = describedRoute(described, PATHS.gasCurrent) !== null;
    if (isReliable && describedRoute(described, path, method) === null) {
      const what = method === 'get' ? path : `${method.toUpperCase()} ${path}`;
      throw new ClientError('not-found', `the service has no ${what}: its own description does not list it`, {
        endpoint: path,
      });
    }
  };
  const pass = async <T>(
    path: string,
    ask: () => Promise<T>,
    call: CallOptions | undefined,
    method: V1Route['method'] = 'get',
  ): Promise<T> => {
    mustBeThere(path, method);
    return pace.pass(path, ask, call?.signal);
  };
  return {
    gasCurrent: (call) => pass(PATHS.gasCurrent, () => client.gasCurrent(call), call),
    gasTrend: (call) => pass(PATHS.gasTrend, () => client.gasTrend(call), call),
    gasRecommendation: (call) => pass(PATHS.gasRecommendation, () => client.gasRecommendation(call), call),
    statsChart: (timeFrame, call) => pass(PATHS.statsChart, () => client.statsChart(timeFrame, call), call),
    statsMarket: (timeFrame, call) =>
      pass(PATHS.statsMarket, () => client.statsMarket(timeFrame, call), call),
    baseFee: (query, call) => pass(PATHS.baseFee, () => client.baseFee(query, call), call),
    priorityFee: (query, call) => pass(PATHS.priorityFee, () => client.priorityFee(query, call), call),
    gasUsedRatio: (query, call) => pass(PATHS.gasUsedRatio, () => client.gasUsedRatio(query, call), call),
    block: (number, call) => pass(PATHS.block, () => client.block(number, call), call),
    tx: (hash, call) => pass(PATHS.tx, () => client.tx(hash, call), call),
    txs: (query, call) => pass(PATHS.txs, () => client.txs(query, call), call),
    rateLimits: async (call) => {
      mustBeThere(PATHS.rateLimits);
      return pace.limits(() => client.rateLimits(call), call?.signal);
    },
    summary: (call) => pass(PATHS.summary, () => client.summary(call), call),
    alerts: (call) => pass(PATHS.alerts, () => client.alerts(call), call),
    alert: (id, call) => pass(PATHS.alert, () => client.alert(id, call), call),
    createAlert: (alert, call) => pass(PATHS.alerts, () => client.createAlert(alert, call), call, 'post'),
    setAlertStatus: (id, status, call) =>
      pass(PATHS.alertStatus, () => client.setAlertStatus(id, status, call), call, 'put'),
    deleteAlert: (id, call) => pass(PATHS.alert, () => client.deleteAlert(id, call), call, 'delete'),
    alertSavings: (id, call) => pass(PATHS.alertSavings, () => client.alertSavings(id, call), call),
    redeliver: (alertId, deliveryId, call) =>
      pass(PATHS.alert, () => client.redeliver(alertId, deliveryId, call), call),
    autoTxs: (call) => pass(PATHS.autoTxs, () => client.autoTxs(call), call),
    autoTx: (id, call) => pass(PATHS.autoTx, () => client.autoTx(id, call), call),
    createAutoTx: (autoTx, call) =>
      pass(PATHS.autoTxs, () => client.createAutoTx(autoTx, call), call, 'post'),
    updateAutoTx: (id, change, call) =>
      pass(PATHS.autoTx, () => client.updateAutoTx(id, change, call), call, 'put'),
    cancelAutoTx: (id, call) => pass(PATHS.autoTxCancel, () => client.cancelAutoTx(id, call), call, 'post'),
    deleteAutoTx: (id, call) => pass(PATHS.autoTx, () => client.deleteAutoTx(id, call), call, 'delete'),
    autoTxAccount: (address, call) => pass(PATHS.autoTxs, () => client.autoTxAccount(address, call), call),
    description: async (call) => {
      described = await pace.pass('/', () => client.description(call), call?.signal);
      return described;
    },
    // Seeing what a service really says is never kept from anybody for what it says of itself.
    raw: (path, query, call) => pace.pass(path, () => client.raw(path, query, call), call?.signal),
  };
}
