// A Tap writes each line that passes through it to a record, as {"from", "line"}.
import fs from "node:fs";
import { Transform } from "node:stream";

export class Tap extends Transform {
  #rest = Buffer.alloc(0);
  #record;
  #from;

  constructor(record, from) {
    super();
    this.#record = record;
    this.#from = from;
  }

  _transform(chunk, _, done) {
    const all = Buffer.concat([this.#rest, chunk]);
    const end = all.lastIndexOf("\n") + 1;
    this.#rest = all.subarray(end);
    for (const line of all.subarray(0, end).toString().split("\n").slice(0, -1)) {
      fs.appendFileSync(this.#record, JSON.stringify({ from: this.#from, line }) + "\n");
    }
    done(null, chunk);
  }
}
