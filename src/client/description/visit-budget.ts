/** Of one document; what a service describes of v1 takes a tenth of it. */
const MOST_OF_DOCUMENT = 20_000;
/** Of one question asked of it: which fields, which values. */
const MOST_OF_QUESTION = 500;

/**
 * How often the schemas of one document may still be looked at. References multiply, so that a document of a few
 * kilobytes could be walked for hours; a question that has used up its share knows what it found until then.
 */
export class VisitBudget {
  #left: number;
  readonly #whole: VisitBudget | null;

  constructor(left = MOST_OF_DOCUMENT, whole: VisitBudget | null = null) {
    this.#left = left;
    this.#whole = whole;
  }

  /** One question's share of what is left. */
  share(most = MOST_OF_QUESTION): VisitBudget {
    return new VisitBudget(most, this);
  }

  /** One look; `false`: there are none left. */
  spend(): boolean {
    if (this.#left === 0 || this.#whole?.spend() === false) return false;
    this.#left -= 1;
    return true;
  }
}
