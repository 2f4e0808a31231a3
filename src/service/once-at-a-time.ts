/** The same question, asked again while its answer is under way, gets that answer. */
export class OnceAtATime<Key, Value> {
  readonly #underWay = new Map<Key, Promise<Value>>();

  ask(key: Key, ask: () => Promise<Value>): Promise<Value> {
    const underWay = this.#underWay.get(key);
    if (underWay !== undefined) return underWay;
    const answer = ask().finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, answer);
    return answer;
  }
}
