/**
 * Loaded before the program (`node --import`): puts its wall clock forward by GASTOP_PICTURE_AHEAD_MS, so that what it
 * shows of the time is the same whenever a picture is made.
 */
const aheadMs = Number(process.env.GASTOP_PICTURE_AHEAD_MS);
if (!Number.isFinite(aheadMs)) throw new Error('GASTOP_PICTURE_AHEAD_MS must be a number of milliseconds');

const { now } = Date;
const SystemDate = Date;

globalThis.Date = new Proxy(SystemDate, {
  construct: (date, parts, newTarget) =>
    Reflect.construct(date, parts.length === 0 ? [now() + aheadMs] : parts, newTarget),
});
SystemDate.now = () => now() + aheadMs;

export {};
