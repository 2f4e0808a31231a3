import { randomBytes } from 'node:crypto';
import { Store } from './database.ts';
import type { Queries } from './tables.ts';

/** How long a secret signs after a rotation: time for recipients to switch. */
const PREVIOUS_SECRET_MS = 86_400_000;
/** A second rotation within this time is the first one again: two at once, or one whose response was lost. */
const SAME_ROTATION_MS = 10_000;
/** Every webhook carries a signature by each. */
const PREVIOUS_MOST = 20;

const newSecret = () => `whsec_${randomBytes(32).toString('base64url')}`;

/** The secrets that sign the webhooks of each owner. Times in ms since epoch. */
export class SigningSecretStore extends Store {
  /** Those that sign at `now`: the current one, made where there is none, and those of the last day. */
  of(owner: string, now: number): Promise<readonly [string, ...string[]]> {
    return this.database.run(async (db) => {
      const known = db.selectFrom('signing_secrets').select('secret').where('owner', '=', owner);
      const first = db.insertInto('signing_secrets').values({ owner, secret: newSecret(), rotated_at: null });
      if ((await known.executeTakeFirst()) === undefined)
        await first.onConflict((conflict) => conflict.column('owner').doNothing()).execute();
      const { secret } = await known.executeTakeFirstOrThrow();
      const previous = await previousOf(db, owner).execute();
      return [secret, ...previous.filter((row) => row.signs_until > now).map((row) => row.secret)];
    });
  }

  /**
   * A new secret of the owner at `now`; every earlier one goes on signing for a day from its own rotation. `previousUntil`: until
   * when the one before signs, `null` when there was none. `too-many`: a day has no room for more.
   */
  rotate(owner: string, now: number) {
    return this.database.transaction(async (trx) => {
      await forgetExpired(trx, now);
      const known = trx.selectFrom('signing_secrets').select(['secret', 'rotated_at']);
      const current = await known.where('owner', '=', owner).executeTakeFirst();
      const previous = await previousOf(trx, owner).execute();
      const sinceMs = Math.abs(now - (current?.rotated_at ?? Number.NEGATIVE_INFINITY));
      if (current !== undefined && sinceMs < SAME_ROTATION_MS) {
        return { secret: current.secret, previousUntil: previous[0]?.signs_until ?? null };
      }
      if (previous.length >= PREVIOUS_MOST) return 'too-many';
      const next = { secret: newSecret(), rotated_at: now };
      const row = trx.insertInto('signing_secrets').values({ owner, ...next });
      await row.onConflict((conflict) => conflict.column('owner').doUpdateSet(next)).execute();
      if (current === undefined) return { secret: next.secret, previousUntil: null };
      const previousUntil = now + PREVIOUS_SECRET_MS;
      const replaced = { owner, secret: current.secret, signs_until: previousUntil };
      await trx.insertInto('previous_secrets').values(replaced).execute();
      return { secret: next.secret, previousUntil };
    });
  }

  /** For good, so that a clock that is set back revives none. */
  async forgetExpired(now: number): Promise<void> {
    await this.database.run((db) => forgetExpired(db, now));
  }
}

/** Newest first. */
const previousOf = (db: Queries, owner: string) =>
  db
    .selectFrom('previous_secrets')
    .select(['secret', 'signs_until'])
    .where('owner', '=', owner)
    .orderBy('signs_until', 'desc');

const forgetExpired = (db: Queries, now: number) =>
  db.deleteFrom('previous_secrets').where('signs_until', '<=', now).execute();
