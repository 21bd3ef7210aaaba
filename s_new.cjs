// test/support/histogram-simulation.ts
function seeded(seed) {
  let state = seed >>> 0;
  return () => {
    state = state + 1831565813 >>> 0;
    let t = state;
    t = Math.imul(t ^ t >>> 15, t | 1);
    t ^= t + Math.imul(t ^ t >>> 7, t | 61);
    return ((t ^ t >>> 14) >>> 0) / 4294967296;
  };
}
function normal(random) {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
function poisson(random, mean2) {
  if (mean2 > 50) return Math.max(0, Math.round(mean2 + Math.sqrt(mean2) * normal(random)));
  const limit = Math.exp(-mean2);
  let product = random();
  let k = 0;
  while (product > limit) {
    product *= random();
    k++;
  }
  return k;
}
function gamma(random, shape) {
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (; ; ) {
    const z = normal(random);
    const v = (1 + c * z) ** 3;
    if (v > 0 && Math.log(1 - random()) < 0.5 * z * z + d - d * v + d * Math.log(v)) return d * v;
  }
}
var LAYOUTS = {
  vllmTtft: [
    1e-3,
    5e-3,
    0.01,
    0.02,
    0.04,
    0.06,
    0.08,
    0.1,
    0.25,
    0.5,
    0.75,
    1,
    2.5,
    5,
    7.5,
    10,
    20,
    40,
    80,
    160,
    640,
    2560
  ],
  vllmItl: [0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80],
  vllmE2e: [0.3, 0.5, 0.8, 1, 1.5, 2, 2.5, 5, 10, 15, 20, 30, 40, 50, 60, 120, 240, 480, 960, 1920, 7680],
  vllmTokens: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4],
  client: [5e-3, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10],
  doubling: Array.from({ length: 18 }, (_, i) => 1e-3 * 2 ** i),
  even: Array.from({ length: 20 }, (_, i) => (i + 1) * 0.25),
  coarse: [0.1, 1, 10],
  signed: [-100, -10, -1, 0, 1, 10, 100]
};
function simulate({ uppers, draw, rate, intervals, seed }) {
  const random = seeded(seed);
  const bounds = Float64Array.from([...uppers, Infinity]);
  const counts = Array.from(bounds, () => new Float64Array(intervals));
  const sums = new Float64Array(intervals);
  const times = Float64Array.from({ length: intervals }, (_, i) => (i + 1) * 333e6);
  const observations2 = [];
  let running = 0;
  for (let i = 0; i < intervals; i++) {
    const progress = i / intervals;
    const frame = { shared: normal(random) };
    const before = running;
    for (let k = poisson(random, rate(progress)); k > 0; k--) {
      const value = draw(random, progress, frame);
      observations2.push(value);
      running += value;
      const cells = counts[bounds.findIndex((upper) => value <= upper)];
      if (cells !== void 0) cells[i] = (cells[i] ?? 0) + 1;
    }
    sums[i] = running - before;
  }
  return { sequence: { uppers: bounds, times, counts, sums }, observations: Float64Array.from(observations2).sort() };
}
function trueQuantile(sorted, q) {
  const rank = q * (sorted.length - 1);
  const low = Math.floor(rank);
  const from = sorted[low] ?? NaN;
  return from + ((sorted[low + 1] ?? from) - from) * (rank - low);
}
var SHAPES = {
  constant: (_, scale) => () => scale,
  steps: (random, scale) => {
    const levels = Array.from({ length: 2 + Math.floor(random() * 3) }, () => scale * Math.exp(1.2 * normal(random)));
    return (r) => levels[Math.floor(r() * levels.length)] ?? scale;
  },
  uniform: (random, scale) => {
    const from = random();
    return (r) => scale * (from + r() * 1.5);
  },
  normal: (random, scale) => {
    const cv = 0.03 + 0.2 * random();
    return (r) => scale * Math.abs(1 + cv * normal(r));
  },
  exponential: (_, scale) => (r) => -scale * Math.log(1 - r()),
  gamma: (random, scale) => {
    const shape = 1 + 5 * random();
    return (r) => scale * gamma(r, shape) / shape;
  },
  lognormal: (random, scale) => {
    const sigma = 0.15 + 1.1 * random();
    return (r) => scale * Math.exp(sigma * normal(r));
  },
  weibull: (random, scale) => {
    const k = 0.6 + 2 * random();
    return (r) => scale * (-Math.log(1 - r())) ** (1 / k);
  },
  pareto: (random, scale) => {
    const alpha = 1.2 + 2 * random();
    return (r) => scale * (1 - r()) ** (-1 / alpha);
  },
  mixture: (random, scale) => {
    const [share, ratio, sigma] = [0.05 + 0.5 * random(), 3 + 12 * random(), 0.1 + 0.4 * random()];
    return (r) => (r() < share ? ratio : 1) * scale * Math.exp(sigma * normal(r));
  },
  integers: (random, scale) => {
    const spread = 0.3 + random();
    return (r) => Math.max(1, Math.round(Math.max(3, scale * 50) * Math.exp(spread * normal(r))));
  },
  ramp: (random, scale) => {
    const [end, sigma] = [2 + 6 * random(), 0.05 + 0.4 * random()];
    return (r, progress) => scale * (1 + (end - 1) * progress) * Math.exp(sigma * normal(r));
  },
  stages: (random, scale) => {
    const [growth, sigma] = [1.4 + random(), 0.05 + 0.3 * random()];
    return (r, progress) => scale * growth ** Math.floor(progress * 5) * Math.exp(sigma * normal(r));
  },
  batches: (random, scale) => {
    const [common, own] = [0.2 + 0.4 * random(), 0.05 + 0.2 * random()];
    return (r, _, frame) => scale * Math.exp(common * frame.shared + own * normal(r));
  },
  queue: (random, scale) => {
    const load = 0.6 + 0.35 * random();
    let waiting = 0;
    return (r) => {
      const service = -Math.log(1 - r());
      waiting = Math.max(0, waiting + service + Math.log(1 - r()) / load);
      return scale * (0.2 + waiting + service) * 0.3;
    };
  },
  signed: (random, scale) => {
    const shift = normal(random);
    return (r) => 5 * (scale + 1) * (shift + normal(r));
  }
};
var PER_INTERVAL = [0.3, 0.7, 2, 5, 20, 60, 300, 1e3];
var INTERVALS = [30, 100, 180, 600, 2e3, 1e4];
function simulations(count, seed, observations2 = 1e5) {
  const random = seeded(seed);
  const pick = (list, fallback) => list[Math.floor(random() * list.length)] ?? fallback;
  const shapes = Object.entries(SHAPES);
  return Array.from({ length: count }, (_, i) => {
    const [shape, make] = shapes[i % shapes.length] ?? ["constant", () => () => 1];
    const layout = shape === "signed" ? "signed" : shape === "integers" ? "vllmTokens" : pick(Object.keys(LAYOUTS).filter(isLayout), "client");
    const uppers = LAYOUTS[layout];
    const positive = uppers.filter((upper) => upper > 0);
    const scale = layout === "signed" ? 3 : (positive[Math.floor((0.2 + 0.5 * random()) * positive.length)] ?? 1) * (0.6 + random());
    let perInterval = pick(PER_INTERVAL, 5);
    let intervals = pick(INTERVALS, 180);
    while (perInterval * intervals > observations2) {
      if (random() < 0.5) perInterval = Math.max(0.3, perInterval / 4);
      else intervals = Math.max(30, Math.round(intervals / 3));
    }
    while (perInterval * intervals < 40) intervals *= 3;
    const swing = random() < 0.5 ? 0 : 0.8 * random();
    return {
      shape,
      layout,
      uppers,
      perInterval,
      intervals,
      draw: make(random, scale),
      rate: (progress) => perInterval * (1 + swing * Math.sin(12 * progress)),
      seed: seed * 1e3 + i
    };
  });
}
function isLayout(name) {
  return Object.hasOwn(LAYOUTS, name);
}
function series(draw, options = {}) {
  const { layout = "client", perInterval = 5, intervals = 180, seed = 1 } = options;
  return simulate({ uppers: LAYOUTS[layout], draw, rate: () => perInterval, intervals, seed });
}

// src/core/stats/quantiles/linear.ts
function linearQuantile(uppers, totals, q) {
  if (Number.isNaN(q)) return NaN;
  if (q < 0) return -Infinity;
  if (q > 1) return Infinity;
  const last = uppers.length - 1;
  let observations2 = 0;
  for (const total of totals) observations2 += total;
  if (last < 1 || uppers[last] !== Infinity || !(observations2 > 0)) return NaN;
  const rank = q * observations2;
  let below = 0;
  let b = 0;
  while (b < last && below + (totals[b] ?? 0) < rank) below += totals[b++] ?? 0;
  if (b === last) return uppers[last - 1] ?? NaN;
  const end = uppers[b] ?? NaN;
  if (b === 0 && end <= 0) return end;
  const start = b === 0 ? 0 : uppers[b - 1] ?? 0;
  return start + (end - start) * ((rank - below) / (totals[b] ?? 0));
}

// src/core/stats/quantiles/rank.ts
function quantileRank(n, q) {
  const last = Math.max(0, n - 1);
  const share = Math.max(0, Math.min(1, q)) * n;
  if (share < 1) return 0;
  if (n - share < 1 - 1e-9) return last;
  return (share * last / n + Math.ceil(share - 1e-9 * (1 + share)) - 1) / 2;
}
function rankBuckets(totals, q) {
  let n = 0;
  for (const total of totals) n += total;
  if (!(n > 0)) return void 0;
  const rank = Math.max(0, Math.min(1, q)) * Math.max(0, n - 1);
  const slack = 1e-9 * (1 + rank);
  return { low: bucketOf(totals, Math.floor(rank + slack)), high: bucketOf(totals, Math.ceil(rank - slack)) };
}
function bucketOf(totals, position) {
  let below = 0;
  let last = 0;
  for (let b = 0; b < totals.length; b++) {
    const total = totals[b] ?? 0;
    if (total <= 0) continue;
    last = b;
    below += total;
    if (position < below) return b;
  }
  return last;
}

// src/core/store/scratch.ts
function numbersIn(scratch, length) {
  return scratch?.take(length) ?? new Float64Array(length);
}
function integersIn(scratch, length) {
  return scratch?.takeIntegers(length) ?? new Int32Array(length);
}

// src/core/stats/quantiles/rows.ts
var ROWS_A_STEP = 1 << 14;
function lowerBound(uppers, b, negative) {
  if (b > 0) return uppers[b - 1] ?? -Infinity;
  return !negative && (uppers[0] ?? 0) > 0 ? 0 : -Infinity;
}
function certainLowerBound(sequence2, b, negative) {
  return b === 0 && sequence2.uppers[0] === 0 && !fallsBelowZero(sequence2) ? 0 : lowerBound(sequence2.uppers, b, negative);
}
function fallsBelowZero({ uppers, entries: { start, bucket, count }, sums }) {
  let magnitude = 0;
  return sums.some((sum, i) => {
    magnitude += Number.isNaN(sum) ? 0 : Math.abs(sum);
    let least = 0;
    for (let e = start[i] ?? 0; e < (start[i + 1] ?? 0); e++)
      if (bucket[e] !== 0) least += (count[e] ?? 0) * (uppers[(bucket[e] ?? 0) - 1] ?? 0);
    return sum < least - 4 * Number.EPSILON * magnitude;
  });
}
function firstBound(uppers) {
  const first = uppers.find((upper) => upper > 0);
  return first !== void 0 && Number.isFinite(first) ? first : 1;
}
function hasNegativeValues({ uppers, entries: { start, bucket, count }, sums }) {
  const isFirst = (e, end) => e < end && bucket[e] === 0 && (count[e] ?? 0) > 0;
  return (uppers[0] ?? 0) > 0 && sums.some((sum, i) => sum < 0 && isFirst(start[i] ?? 0, start[i + 1] ?? 0));
}
function activeBuckets(uppers, totals, negative) {
  let n = 0;
  for (const total of totals) if (total > 0) n++;
  const active = {
    index: new Int32Array(n),
    lower: new Float64Array(n),
    upper: new Float64Array(n),
    total: new Float64Array(n)
  };
  for (let b = 0, a = 0; b < totals.length; b++) {
    const total = totals[b] ?? 0;
    if (!(total > 0)) continue;
    active.index[a] = b;
    active.lower[a] = lowerBound(uppers, b, negative);
    active.upper[a] = uppers[b] ?? Infinity;
    active.total[a++] = total;
  }
  return active;
}
function* usableRows({ entries, sums, times }, active, scratch) {
  const n = sums.length;
  const { start, bucket, count } = entries;
  numberActive(entries, active);
  const column = () => numbersIn(scratch, n);
  const out = { sum: column(), size: column(), span: column() };
  const typical = ((times[n - 1] ?? 0) - (times[0] ?? 0)) / Math.max(1, n - 1);
  const totals = new Float64Array(active.index.length);
  let filled = 0;
  let length = 0;
  let magnitude = 0;
  let sum = 0;
  let span = 0;
  let joined = 0;
  let to = start[0] ?? 0;
  for (let i = 0; i < n; i++) {
    if (i % ROWS_A_STEP === ROWS_A_STEP - 1) yield;
    const from = to;
    to = start[i + 1] ?? 0;
    const own = sums[i] ?? NaN;
    if (Number.isNaN(own)) {
      sum = span = joined = 0;
      continue;
    }
    sum += own;
    span += i > 0 ? (times[i] ?? 0) - (times[i - 1] ?? 0) : typical;
    joined++;
    magnitude += Math.abs(own);
    let size = 0;
    let least = 0;
    let most = 0;
    if (joined > 1) for (let e = from; e < to; e++) addTo(totals, bucket[e] ?? 0, count[e] ?? 0);
    const entries2 = joined === 1 ? to - from : totals.length;
    for (let k = 0; k < entries2; k++) {
      const a = joined === 1 ? bucket[from + k] ?? 0 : k;
      const c = (joined === 1 ? count[from + k] : totals[k]) ?? 0;
      if (c === 0) continue;
      size += c;
      least += c * (active.lower[a] ?? 0);
      most += c * (active.upper[a] ?? 0);
    }
    const tolerance = 4 * Number.EPSILON * (magnitude + Math.abs(sum));
    const feasible = sum >= least - tolerance && sum <= most + tolerance;
    if (!feasible && joined < 3 && i + 1 < n) {
      if (joined > 1) continue;
      totals.fill(0);
      for (let e = from; e < to; e++) addTo(totals, bucket[e] ?? 0, count[e] ?? 0);
      continue;
    }
    if (feasible && size > 0) {
      for (let k = 0; k < entries2; k++) {
        const c = (joined === 1 ? count[from + k] : totals[k]) ?? 0;
        if (c === 0) continue;
        bucket[filled] = joined === 1 ? bucket[from + k] ?? 0 : k;
        count[filled++] = c;
      }
      out.sum[length] = Math.max(least, Math.min(most, sum));
      out.size[length] = size;
      out.span[length] = span;
      start[++length] = filled;
    }
    sum = span = joined = 0;
  }
  return { length, start, bucket, count, ...out };
}
function addTo(cells, at, value) {
  cells[at] = (cells[at] ?? 0) + value;
}
function numberActive({ start, bucket, count, totals }, { index }) {
  if (index.length === totals.length) return;
  const numbers = new Int32Array(totals.length).fill(-1);
  index.forEach((b, a) => numbers[b] = a);
  let filled = 0;
  let from = 0;
  for (let i = 0; i + 1 < start.length; i++) {
    const to = start[i + 1] ?? 0;
    for (let e = from; e < to; e++) {
      const a = numbers[bucket[e] ?? 0] ?? -1;
      if (a < 0) continue;
      bucket[filled] = a;
      count[filled++] = count[e] ?? 0;
    }
    start[i + 1] = filled;
    from = to;
  }
}
function sampleRows(rows, most) {
  const length = Math.min(rows.length, most);
  if (length === rows.length) return rows;
  const picked = Int32Array.from({ length }, (_, i) => Math.floor((i + 0.5) * rows.length / length));
  const entries = [];
  const start = new Int32Array(length + 1);
  picked.forEach((r, i) => {
    for (let e = rows.start[r] ?? 0; e < (rows.start[r + 1] ?? 0); e++) entries.push(e);
    start[i + 1] = entries.length;
  });
  const pick = (cells) => Float64Array.from(picked, (r) => cells[r] ?? 0);
  return {
    length,
    start,
    bucket: Int32Array.from(entries, (e) => rows.bucket[e] ?? 0),
    count: Float64Array.from(entries, (e) => rows.count[e] ?? 0),
    sum: pick(rows.sum),
    size: pick(rows.size),
    span: pick(rows.span)
  };
}

// src/core/stats/student.ts
var ENDS_OF_90 = 1.645;

// src/core/stats/quantiles/effect.ts
function designEffect(rows, buckets) {
  let chi = 0;
  let expected = 0;
  for (let r = 0; r + 1 < rows.length; r += 1) {
    const n = rows.size[r] ?? 0;
    const m = rows.size[r + 1] ?? 0;
    let e = rows.start[r] ?? 0;
    const end = rows.start[r + 1] ?? 0;
    let f = end;
    const last = rows.start[r + 2] ?? 0;
    let filled = 0;
    while (e < end || f < last) {
      const a = e < end ? rows.bucket[e] ?? 0 : buckets;
      const b = f < last ? rows.bucket[f] ?? 0 : buckets;
      const c = a <= b ? rows.count[e++] ?? 0 : 0;
      const d = b <= a ? rows.count[f++] ?? 0 : 0;
      const apart = c * m - d * n;
      filled++;
      chi += apart * apart / ((c + d) * n * m);
    }
    if (n + m > 1) expected += Math.max(0, filled - 1) * (n + m) / (n + m - 1);
  }
  return expected > 0 ? Math.max(1, chi / expected) : 1;
}

// src/core/stats/quantiles/density.ts
var NODES = 48;
var ORDER = 3;
var DIFFERENCES = [-1, 3, -3, 1];
var BEYOND = 0.4;
var LEFT = 0.3;
var SHRUNK = 0.6;
var ROUGHNESS = 5;
var LEAST_ROUGHNESS = 5e-6;
var LADDER = 10;
var MAX_PENALTY = 1e10;
var FIRST_ROUNDS = 12;
var ROUNDS = 2;
var CONVERGED = 0.1;
var NOTHING = -7;
var FINENESS = 1.5;
var FINEST = 20;
var MIN_CHANCE = 1e-12;
var MIN_LOG = Math.log(MIN_CHANCE);
var NO_CELLS = new Float64Array(0);
var NO_NODES = new Int32Array(0);
var number = new Float64Array(1);
var halves = new Int32Array(number.buffer);
number[0] = -1;
var UPPER = (halves[1] ?? 0) < 0 ? 1 : 0;
function entryOf(z, shift, base) {
  number[0] = z;
  return ((halves[UPPER] ?? 0) >> shift) - base;
}
var Density = class {
  constructor(scratch) {
    this.scratch = scratch;
    this.counts = numbersIn(scratch, NODES);
    this.theta = numbersIn(scratch, NODES);
    this.other = numbersIn(scratch, NODES);
    this.penalty = numbersIn(scratch, 4 * NODES);
  }
  scratch;
  /** Density of a value's logarithm by the table's entries, up to a factor, and its own logarithm. */
  chance = NO_CELLS;
  logs = NO_CELLS;
  /** Values that have a density. */
  least = 0;
  most = 0;
  /** What leads from a value to its entry: `entryOf`. */
  shift = 0;
  base = 0;
  /** Of `chance`, by which it becomes the expected number of units by the logarithm of their value. */
  scale = 0;
  from = 0;
  cell = 1;
  span = 0;
  began = false;
  /** The node below each entry of the table, and how far it lies beyond that, in cells. */
  node = NO_NODES;
  beyond = NO_CELLS;
  counts;
  theta;
  other;
  lambda = 0;
  roughness = ROUGHNESS;
  told = 1;
  /** The roughness penalty's matrix for these nodes: from 4·k the diagonal, then what stands to its left. */
  penalty;
  /**
   * @param y logarithms of the values
   * @param weight of each, which `share` makes 1 on average
   */
  fit(y, weight, share) {
    const laid = this.layNodes(y);
    this.count(y, weight, share);
    const { counts, theta, penalty } = this;
    const rounds = laid ? FIRST_ROUNDS : ROUNDS;
    if (!this.began) theta.fill(Math.log(y.length / NODES));
    this.began = true;
    for (let round = 0; round < rounds; round++) if (stepDensity(theta, counts, this.lambda, penalty)) break;
    this.fillTable();
  }
  /**
   * Moves the penalty by a step to what makes the values counted likeliest, if any does.
   * @param told part of the values' number that is known of them: they are drawn from the density themselves, and as if
   * all were seen, any roughness would confirm itself
   */
  smooth(told) {
    const { theta, penalty } = this;
    const counts = this.counts.map((count) => count * told);
    const start = theta.map((log) => log + Math.log(told));
    let best = -Infinity;
    let kept = start;
    const now = this.roughness;
    for (const factor2 of [1, 1 / LADDER, LADDER]) {
      if (factor2 > 1 && this.roughness < now) break;
      const roughness = Math.max(LEAST_ROUGHNESS, Math.min(ROUGHNESS, factor2 * now));
      if (factor2 !== 1 && roughness === now) continue;
      const lambda = this.lambdaOf(roughness);
      fillPenalty(penalty, lambda);
      theta.set(start);
      for (let round = 0; round < FIRST_ROUNDS; round++) if (stepDensity(theta, counts, lambda, penalty)) break;
      const evidence = evidenceOf(theta, counts, lambda);
      if (evidence <= best) continue;
      best = evidence;
      this.roughness = roughness;
      kept = Float64Array.from(theta);
    }
    theta.set(kept.map((log) => log - Math.log(told)));
    this.told = told;
    this.lambda = this.lambdaOf(this.roughness) / told;
    fillPenalty(penalty, this.lambda);
    this.fillTable();
  }
  lambdaOf(roughness) {
    return Math.min(MAX_PENALTY, roughness / this.cell ** (2 * ORDER - 1));
  }
  /** Sum of the logarithms of the densities at factor · z[from … to−1]; beyond the table those of its ends. */
  logOfAll(factor2, z, from, to) {
    const { logs, shift, base } = this;
    const last = logs.length - 1;
    let sum = 0;
    for (let j = from; j < to; j++) {
      const at = entryOf(factor2 * (z[j] ?? 0), shift, base);
      sum += logs[at < 0 ? 0 : at > last ? last : at] ?? 0;
    }
    return sum;
  }
  /** @returns whether they were laid anew */
  layNodes(y) {
    let least = Infinity;
    let most = -Infinity;
    for (let j = 0; j < y.length; j++) {
      const value = y[j] ?? 0;
      if (value < least) least = value;
      if (value > most) most = value;
    }
    const span = Math.max(most - least, 1e-7 * Math.abs(most), 1e-12);
    const top = this.from + (NODES - 1) * this.cell;
    const room = LEFT * BEYOND * this.span;
    if (this.began && least >= this.from + room && most <= top - room && span >= SHRUNK * this.span) return false;
    const cell = (1 + 2 * BEYOND) * span / (NODES - 1);
    const from = least - BEYOND * span;
    const { theta, other } = this;
    if (this.began) {
      for (let k = 0; k < NODES; k++) {
        const at = (from + k * cell - this.from) / this.cell;
        const m = at <= 0 ? 0 : at >= NODES - 2 ? NODES - 2 : Math.floor(at);
        const low = theta[m] ?? 0;
        other[k] = low + (at - m) * ((theta[m + 1] ?? 0) - low) + Math.log(cell / this.cell);
      }
      theta.set(other);
    }
    [this.span, this.from, this.cell] = [span, from, cell];
    this.lambda = this.lambdaOf(this.roughness) / this.told;
    fillPenalty(this.penalty, this.lambda);
    this.layTable();
    return true;
  }
  layTable() {
    const { from, cell } = this;
    this.least = Math.exp(from);
    this.most = Math.exp(from + (NODES - 1) * cell);
    this.shift = Math.max(0, 20 - Math.min(FINEST, Math.ceil(Math.log2(FINENESS / cell))));
    if (this.shift > 20) this.shift = 20;
    this.base = entryOf(this.least, this.shift, 0);
    const entries = entryOf(this.most, this.shift, this.base) + 1;
    this.node = integersIn(this.scratch, entries);
    this.beyond = numbersIn(this.scratch, entries);
    this.chance = numbersIn(this.scratch, entries);
    this.logs = numbersIn(this.scratch, entries);
    const half = this.shift === 0 ? 0 : 1 << this.shift - 1;
    for (let i = 0; i < entries; i++) {
      halves[UPPER] = (this.base + i << this.shift) + half;
      halves[1 - UPPER] = 0;
      const y = Math.log(number[0] ?? 1);
      const at = Math.max(0, Math.min(NODES - 1, (y - from) / cell));
      const k = Math.min(NODES - 2, Math.floor(at));
      this.node[i] = k;
      this.beyond[i] = at - k;
    }
  }
  fillTable() {
    const { node, beyond, chance, logs, theta } = this;
    let highest = -Infinity;
    for (let k = 0; k < NODES; k++) highest = Math.max(highest, theta[k] ?? 0);
    this.scale = Math.exp(highest) / this.cell;
    for (let i = 0; i < chance.length; i++) {
      const k = node[i] ?? 0;
      const low = theta[k] ?? 0;
      const log = low + (beyond[i] ?? 0) * ((theta[k + 1] ?? 0) - low) - highest;
      logs[i] = log;
      chance[i] = log < MIN_LOG ? MIN_CHANCE : Math.exp(log);
    }
  }
  count(y, weight, share) {
    const { counts, from, cell } = this;
    counts.fill(0);
    for (let j = 0; j < y.length; j++) {
      const place = ((y[j] ?? 0) - from) / cell;
      const k = Math.floor(place);
      const own = share * (weight[j] ?? 0);
      counts[k] = (counts[k] ?? 0) + own * (1 - (place - k));
      counts[k + 1] = (counts[k + 1] ?? 0) + own * (place - k);
    }
  }
};
var PAD = ORDER;
var pivots = new Float64Array(NODES + PAD).fill(1);
var gradient = new Float64Array(NODES + PAD);
var factor = new Float64Array(4 * (NODES + 2 * PAD));
function pivotOf(row) {
  return pivots[row] ?? 1;
}
function fillPenalty(penalty, lambda) {
  penalty.fill(0);
  for (let k = 0; k + ORDER < NODES; k++)
    for (let a = 0; a <= ORDER; a++)
      for (let b = 0; b <= a; b++) {
        const at = 4 * (k + a) + a - b;
        penalty[at] = (penalty[at] ?? 0) + lambda * (DIFFERENCES[a] ?? 0) * (DIFFERENCES[b] ?? 0);
      }
}
function evidenceOf(theta, counts, lambda) {
  let evidence = (NODES - ORDER) / 2 * Math.log(lambda);
  for (let k = 0; k < NODES; k++) {
    evidence += (counts[k] ?? 0) * (theta[k] ?? 0) - Math.exp(theta[k] ?? 0);
    evidence -= Math.log(pivotOf(PAD + k)) / 2;
    if (k + ORDER >= NODES) continue;
    const bend = (theta[k + 3] ?? 0) - (theta[k] ?? 0) + 3 * ((theta[k + 1] ?? 0) - (theta[k + 2] ?? 0));
    evidence -= lambda / 2 * bend * bend;
  }
  return evidence;
}
function stepDensity(theta, counts, lambda, penalty) {
  factor.fill(0, 0, 4 * PAD);
  factor.set(penalty, 4 * PAD);
  for (let k = 0; k < NODES; k++) {
    const expected = Math.exp(theta[k] ?? 0);
    gradient[PAD + k] = (counts[k] ?? 0) - expected;
    factor[4 * (PAD + k)] = (penalty[4 * k] ?? 0) + expected + 1e-6;
  }
  const threefold = 3 * lambda;
  for (let k = 0; k + ORDER < NODES; k++) {
    const bend = (theta[k + 3] ?? 0) - (theta[k] ?? 0) + 3 * ((theta[k + 1] ?? 0) - (theta[k + 2] ?? 0));
    const at = PAD + k;
    gradient[at] = (gradient[at] ?? 0) + lambda * bend;
    gradient[at + 1] = (gradient[at + 1] ?? 0) - threefold * bend;
    gradient[at + 2] = (gradient[at + 2] ?? 0) + threefold * bend;
    gradient[at + 3] = (gradient[at + 3] ?? 0) - lambda * bend;
  }
  for (let row = PAD; row < NODES + PAD; row++) {
    const at = 4 * row;
    let pivot = factor[at] ?? 0;
    let own = gradient[row] ?? 0;
    for (let left = ORDER; left > 0; left--) {
      let entry = factor[at + left] ?? 0;
      for (let further = ORDER; further > left; further--)
        entry -= (factor[at + further] ?? 0) * (factor[4 * (row - left) + further - left] ?? 0) * pivotOf(row - further);
      const share = entry / pivotOf(row - left);
      factor[at + left] = share;
      pivot -= share * entry;
      own -= share * (gradient[row - left] ?? 0);
    }
    pivots[row] = Math.max(pivot, 1e-12);
    gradient[row] = own;
  }
  let largest = 0;
  for (let row = NODES + PAD - 1; row >= PAD; row--) {
    let step = (gradient[row] ?? 0) / pivotOf(row);
    for (let right = 1; right <= ORDER; right++)
      step -= (factor[4 * (row + right) + right] ?? 0) * (row + right < NODES + PAD ? gradient[row + right] ?? 0 : 0);
    gradient[row] = step;
    const log = theta[row - PAD] ?? 0;
    if (log > NOTHING || log + step > NOTHING) largest = Math.max(largest, Math.abs(step));
  }
  const damp = Math.min(1, 1.5 / largest);
  for (let k = 0; k < NODES; k++) theta[k] = (theta[k] ?? 0) + damp * (gradient[PAD + k] ?? 0);
  return largest < CONVERGED;
}

// src/core/stats/quantiles/draws.ts
var CELLS = 256;
function placeOf({ total }, position) {
  let bucket = 0;
  let below = 0;
  while (bucket < total.length - 1 && position >= below + (total[bucket] ?? 0)) below += total[bucket++] ?? 0;
  return { bucket, at: (position - below + 0.5) / (total[bucket] ?? 1) };
}
var OrderedBucket = class {
  constructor(units, a, scratch) {
    this.units = units;
    this.members = units.membersOf(a);
    let all = 0;
    for (const j of this.members) all += units.weight[j] ?? 0;
    this.all = all;
    this.weights = numbersIn(scratch, CELLS);
    this.sums = numbersIn(scratch, CELLS);
  }
  units;
  members;
  all;
  weights;
  sums;
  get length() {
    return this.members.length;
  }
  /** Reads the values as they are now. */
  read() {
    const { members, weights, sums } = this;
    const { z, rest, unit, weight } = this.units;
    let least = Infinity;
    let most = -Infinity;
    for (let i = 0; i < members.length; i++) {
      const value = z[members[i] ?? 0] ?? 0;
      if (value < least) least = value;
      if (value > most) most = value;
    }
    const scale = most > least ? CELLS * (1 - 1e-12) / (most - least) : 0;
    weights.fill(0);
    sums.fill(0);
    for (let i = 0; i < members.length; i++) {
      const j = members[i] ?? 0;
      const value = z[j] ?? 0;
      const cell = (value - least) * scale | 0;
      const own = weight[j] ?? 0;
      weights[cell] = (weights[cell] ?? 0) + own;
      sums[cell] = (sums[cell] ?? 0) + own * (value - unit + (rest[j] ?? 0));
    }
  }
  /** The value that a share of the bucket lies below: between the middles of the cells around it. */
  valueAt(share) {
    const { weights, sums, all } = this;
    const target = share * all;
    let below = 0;
    let before = NaN;
    let beforeAt = 0;
    for (let cell = 0; cell < CELLS; cell++) {
      const own = weights[cell] ?? 0;
      if (own === 0) continue;
      const mean2 = (sums[cell] ?? 0) / own;
      if (this.units.whole) {
        if (below + own > target - 1e-9) return Math.round(mean2);
      } else if (below + own / 2 >= target - 1e-9) {
        if (!(beforeAt < below + own / 2) || Number.isNaN(before)) return mean2;
        return before + (target - beforeAt) / (below + own / 2 - beforeAt) * (mean2 - before);
      }
      before = mean2;
      beforeAt = below + own / 2;
      below += own;
    }
    return before;
  }
};
var ROUNDING = 1e-9;
var Draws = class {
  constructor(share) {
    this.share = share;
  }
  share;
  values = [];
  lows = [];
  highs = [];
  add(low, high) {
    this.lows.push(low);
    this.highs.push(high);
    this.values.push(low + this.share * (high - low));
  }
  /** Is the standard error of the value at most so large, in those of itself? */
  settled(share) {
    const { mean: mean2, deviation: deviation2 } = momentsOf(this.values);
    return deviation2 <= share * Math.sqrt(this.values.length) * Math.abs(mean2);
  }
  /**
   * @param reach of the interval to each side, in standard deviations
   * @param missed by the model, in the metric's unit; what the sums tell exactly has no interval
   */
  result(reach, missed, whole) {
    const room = ({ mean: mean2, deviation: deviation2 }) => deviation2 > ROUNDING * Math.abs(mean2) ? Math.hypot(reach * deviation2, missed) : 0;
    const below = momentsOf(this.lows);
    const above = momentsOf(this.highs);
    const sorted = [...this.values].sort((a, b) => a - b);
    return {
      value: whole ? sorted[sorted.length >> 1] ?? NaN : momentsOf(this.values).mean,
      low: below.mean - room(below),
      high: above.mean + room(above)
    };
  }
};
function momentsOf(values2) {
  const mean2 = values2.reduce((sum, value) => sum + value, 0) / values2.length;
  const squares = values2.reduce((sum, value) => sum + (value - mean2) ** 2, 0);
  return { mean: mean2, deviation: values2.length > 1 ? Math.sqrt(squares / (values2.length - 1)) : 0 };
}

// src/core/stats/quantiles/level.ts
var STATES = 7;
var BETWEEN = 2 / Math.sqrt(STATES - 1);
var STATE = Float64Array.from({ length: STATES }, (_, k) => BETWEEN * (k - (STATES - 1) / 2));
var CORRELATION = 0.95;
var ONWARD = transitions(CORRELATION);
var PRIOR = transitions(0).subarray(0, STATES);
var SPREADS = [0.15, 0.4, 0.7];
var STEPS = 2;
var REACH = 2;
var factors = new Float64Array(STATES);
function transitions(correlation) {
  const stay = (1 + correlation) / 2;
  let all = Float64Array.of(1);
  for (let n = 2; n <= STATES; n++) {
    const next = new Float64Array(n * n);
    for (let a = 0; a < n - 1; a++) {
      for (let b = 0; b < n - 1; b++) {
        const p = all[a * (n - 1) + b] ?? 0;
        const add = (i, j, share) => next[i * n + j] = (next[i * n + j] ?? 0) + share * p;
        add(a, b, stay);
        add(a, b + 1, 1 - stay);
        add(a + 1, b, 1 - stay);
        add(a + 1, b + 1, stay);
      }
    }
    for (let i = n; i < n * (n - 1); i++) next[i] = (next[i] ?? 0) / 2;
    all = next;
  }
  return all;
}
var Level = class {
  constructor(units, scratch) {
    this.units = units;
    const rows = units.first.length - 1;
    this.factor = numbersIn(scratch, rows).fill(1);
    this.logs = numbersIn(scratch, rows).fill(0);
    this.likelihood = numbersIn(scratch, rows * STATES);
    this.forward = numbersIn(scratch, rows * STATES);
  }
  units;
  /** Factors of the intervals: values times these lie around one level. */
  factor;
  /** Logarithms of the levels: of the factors, with the sign turned. */
  logs;
  spread = 0;
  likelihood;
  forward;
  scale = 0;
  /** Chooses the spread and draws a path. @param deviation of the values' logarithms */
  begin(density, deviation2, random) {
    let best = this.weigh(density, 0);
    for (const share of SPREADS) {
      this.weigh(density, share * deviation2);
      const evidence = this.filter();
      if (evidence <= best) continue;
      best = evidence;
      this.spread = share * deviation2;
    }
    if (this.spread === 0) return;
    const { factor: factor2, logs, forward } = this;
    this.weigh(density, this.spread);
    this.filter();
    const chances2 = new Float64Array(STATES);
    let next = -1;
    for (let r = factor2.length - 1; r >= 0; r--) {
      let mass = 0;
      for (let k2 = 0; k2 < STATES; k2++)
        mass += chances2[k2] = (forward[r * STATES + k2] ?? 0) * (next < 0 ? 1 : ONWARD[k2 * STATES + next] ?? 0);
      let pick = random.uniform() * mass;
      let k = 0;
      while (k < STATES - 1 && (pick -= chances2[k] ?? 0) > 0) k++;
      const log = logs[r] = this.spread * ((STATE[k] ?? 0) + (random.uniform() - 0.5) * BETWEEN);
      factor2[r] = Math.exp(-log);
      next = k;
    }
  }
  /**
   * Moves the level of each interval from where it is, given those beside it and the values (random-walk Metropolis):
   * states are too far apart where a queue moves the level by far more than values differ within an interval.
   *
   * @param deviation of the values' logarithms about the level
   */
  refine(density, deviation2, random) {
    const { factor: factor2, logs, spread } = this;
    const { first, z } = this.units;
    const last = factor2.length - 1;
    const fresh = spread * spread * (1 - CORRELATION ** 2);
    for (let r = 0; r <= last; r++) {
      const from = first[r] ?? 0;
      const to = first[r + 1] ?? 0;
      const variance = r === 0 || r === last ? fresh : fresh / (1 + CORRELATION ** 2);
      const beside = (logs[r - 1] ?? 0) + (logs[r + 1] ?? 0);
      const mean2 = CORRELATION * beside * variance / fresh;
      const reach = REACH / Math.sqrt(1 / variance + (to - from) / (deviation2 * deviation2));
      let now = logs[r] ?? 0;
      let here = -((now - mean2) ** 2) / (2 * variance) + density.logOfAll(factor2[r] ?? 1, z, from, to);
      for (let step = 0; step < STEPS; step++) {
        const next = now + reach * (2 * random.uniform() - 1);
        const lowered = Math.exp(-next);
        const there = -((next - mean2) ** 2) / (2 * variance) + density.logOfAll(lowered, z, from, to);
        if (!(random.uniform() < Math.exp(there - here))) continue;
        now = next;
        here = there;
        factor2[r] = lowered;
      }
      logs[r] = now;
    }
  }
  /** Likelihood of each interval in each state; returns that of all without a level's spread. */
  weigh(density, spread) {
    const { likelihood } = this;
    const { first, z } = this.units;
    const states = spread === 0 ? 1 : STATES;
    for (let k = 0; k < states; k++) factors[k] = spread === 0 ? 1 : Math.exp(-spread * (STATE[k] ?? 0));
    this.scale = 0;
    for (let r = 0; r + 1 < first.length; r++) {
      const at = r * STATES;
      let best = -Infinity;
      for (let k = 0; k < states; k++) {
        const log = density.logOfAll(factors[k] ?? 1, z, first[r] ?? 0, first[r + 1] ?? 0);
        likelihood[at + k] = log;
        if (log > best) best = log;
      }
      for (let k = 0; k < states; k++) likelihood[at + k] = Math.exp((likelihood[at + k] ?? 0) - best);
      this.scale += best;
    }
    return this.scale;
  }
  /** Log-likelihood of all intervals; leaves each one's probabilities given those up to it. */
  filter() {
    const { likelihood, forward, factor: factor2 } = this;
    let log = this.scale;
    for (let r = 0; r < factor2.length; r++) {
      const at = r * STATES;
      let mass = 0;
      for (let b = 0; b < STATES; b++) {
        let p = r === 0 ? PRIOR[b] ?? 0 : 0;
        if (r > 0)
          for (let a = 0; a < STATES; a++) p += (forward[at - STATES + a] ?? 0) * (ONWARD[a * STATES + b] ?? 0);
        mass += forward[at + b] = p * (likelihood[at + b] ?? 0);
      }
      for (let b = 0; b < STATES; b++) forward[at + b] = (forward[at + b] ?? 0) / mass;
      log += Math.log(mass);
    }
    return log;
  }
};

// src/core/stats/quantiles/means.ts
var PASSES = 30;
var BEYOND2 = 0.5;
function bucketMoments({ lower, upper, index }, rows) {
  const n = index.length;
  const width = lower.map((low, a) => {
    const own = (upper[a] ?? 0) - low;
    return own < Infinity ? Math.max(own, 1e-12) : 2 * BEYOND2 * Math.max(low, 1e-9);
  });
  const variance = width.map((own) => own ** 2 / 12);
  const mean2 = lower.map((low, a) => low + (width[a] ?? 0) / 2);
  const matrix = new Float64Array(n * n);
  const right = mean2.map((middle, a) => middle / (variance[a] ?? 1));
  for (let a = 0; a < n; a++) matrix[a * n + a] = 1 / (variance[a] ?? 1);
  for (let r = 0; r < rows.length; r++) {
    const [from, to] = [rows.start[r] ?? 0, rows.start[r + 1] ?? 0];
    let whole = 0;
    for (let e = from; e < to; e++) whole += (rows.count[e] ?? 0) * (variance[rows.bucket[e] ?? 0] ?? 0);
    for (let e = from; e < to; e++) {
      const a = rows.bucket[e] ?? 0;
      const share = (rows.count[e] ?? 0) / whole;
      right[a] = (right[a] ?? 0) + share * (rows.sum[r] ?? 0);
      for (let f = from; f < to; f++) {
        const at = a * n + (rows.bucket[f] ?? 0);
        matrix[at] = (matrix[at] ?? 0) + share * (rows.count[f] ?? 0);
      }
    }
  }
  for (let pass = 0; pass < PASSES; pass++)
    for (let a = 0; a < n; a++) {
      let left = right[a] ?? 0;
      for (let b = 0; b < n; b++) if (b !== a) left -= (matrix[a * n + b] ?? 0) * (mean2[b] ?? 0);
      mean2[a] = Math.max(lower[a] ?? 0, Math.min(upper[a] ?? 0, left / (matrix[a * n + a] ?? 1)));
    }
  return { mean: mean2, variance };
}
var NEAR = 15;
var LOCAL_PASSES = 2;
function localShifts({ mean: mean2, variance }, rows) {
  const n = mean2.length;
  const shifts = new Float64Array(rows.length * n);
  const miss = new Float64Array(rows.length);
  const whole = new Float64Array(rows.length);
  const counts = new Float64Array(rows.length);
  const next = new Float64Array(rows.length);
  const at = (cells, i) => cells[i] ?? 0;
  for (let r = 0; r < rows.length; r++) {
    miss[r] = at(rows.sum, r);
    for (let e = rows.start[r] ?? 0; e < (rows.start[r + 1] ?? 0); e++) {
      const a = rows.bucket[e] ?? 0;
      miss[r] = at(miss, r) - at(rows.count, e) * at(mean2, a);
      whole[r] = at(whole, r) + at(rows.count, e) * at(variance, a);
    }
  }
  for (let pass = 0; pass < LOCAL_PASSES; pass++)
    for (let a = 0; a < n; a++) {
      counts.fill(0);
      for (let r = 0; r < rows.length; r++)
        for (let e = rows.start[r] ?? 0; e < (rows.start[r + 1] ?? 0); e++)
          if (rows.bucket[e] === a) counts[r] = at(rows.count, e);
      let told = 0;
      let precision = 1 / at(variance, a);
      const add = (r, sign) => {
        if (r < 0 || r >= rows.length || at(counts, r) === 0) return;
        const own = at(miss, r) + at(counts, r) * at(shifts, r * n + a);
        told += sign * at(counts, r) * own / at(whole, r);
        precision += sign * at(counts, r) ** 2 / at(whole, r);
      };
      for (let r = 0; r < NEAR; r++) add(r, 1);
      for (let r = 0; r < rows.length; r++) {
        add(r + NEAR, 1);
        add(r - NEAR - 1, -1);
        next[r] = told / precision;
      }
      for (let r = 0; r < rows.length; r++) {
        miss[r] = at(miss, r) + at(counts, r) * (at(shifts, r * n + a) - at(next, r));
        shifts[r * n + a] = at(next, r);
      }
    }
  return shifts;
}

// src/core/stats/quantiles/random.ts
var SeededRandom = class {
  state;
  constructor(seed) {
    this.state = seed >>> 0;
  }
  /** mulberry32. */
  uniform() {
    const state = this.state = this.state + 1831565813 | 0;
    const half = Math.imul(state ^ state >>> 15, state | 1);
    const mixed = half + Math.imul(half ^ half >>> 7, half | 61) ^ half;
    return ((mixed ^ mixed >>> 14) >>> 0) / 4294967296;
  }
};

// src/core/stats/quantiles/redraw.ts
var TRIES = 4;
var EVEN = 4;
var ALL = 12;
var TIED = 64;
var NEAR2 = 1;
var IN_ALL = 1;
var ABOUT_ROW = 0.1;
var Ties = class {
  constructor(units) {
    this.units = units;
    this.rows = units.first.length - 1;
    this.near = new Float64Array(this.rows * TIED);
    this.inAll = new Float64Array(units.length);
    this.inNear = new Float64Array(units.length);
    this.numbers = units.upper.map((upper, j) => Math.min(TIED, upper - (units.lower[j] ?? 0) + 1));
    const { z, row, bucket, length, first } = units;
    const members = new Float64Array(64);
    for (let j = 0; j < length; j++) {
      members[bucket[j] ?? 0] = (members[bucket[j] ?? 0] ?? 0) + 1;
      this.move(row[j] ?? 0, z[j] ?? 0, 1);
    }
    for (let j = 0; j < length; j++) {
      this.inAll[j] = members[bucket[j] ?? 0] ?? 0;
      const r = row[j] ?? 0;
      let n = 0;
      for (let i = first[Math.max(0, r - NEAR2)] ?? 0; i < (first[Math.min(this.rows, r + NEAR2 + 1)] ?? 0); i++)
        if (bucket[i] === bucket[j]) n++;
      this.inNear[j] = n;
    }
  }
  units;
  all = new Float64Array(TIED);
  near;
  inAll;
  inNear;
  numbers;
  rows;
  move(r, value, by2) {
    const v = Math.round(value - this.units.unit);
    if (v >= TIED) return;
    this.all[v] = (this.all[v] ?? 0) + by2;
    for (let s = Math.max(0, r - NEAR2); s <= Math.min(this.rows - 1, r + NEAR2); s++)
      this.near[s * TIED + v] = (this.near[s * TIED + v] ?? 0) + by2;
  }
  /** Chance of a value as one of a bucket's. @param smooth the density's expected number */
  chance(j, r, value, own, smooth) {
    const v = Math.round(value - this.units.unit);
    const inAll = this.inAll[j] ?? 1;
    if (v >= TIED) return smooth / inAll;
    const numbers = this.numbers[j] ?? 1;
    const prior = IN_ALL * numbers;
    const overall = ((this.all[v] ?? 0) - own + prior * smooth / inAll) / (inAll - 1 + prior);
    const local = ABOUT_ROW * numbers;
    return ((this.near[r * TIED + v] ?? 0) - own + local * overall) / ((this.inNear[j] ?? 1) - 1 + local);
  }
};
var values = new Float64Array(ALL + 2);
var chances = new Float64Array(ALL + 2);
function redraw(units, density, factors2, random, ties) {
  const { z, lower, upper, first, row, turns, weight } = units;
  const { chance, shift, base, least, most, scale } = density;
  for (let turn = 0; turn < turns.length; turn++) {
    const j = turns[turn] ?? 0;
    const r = row[j] ?? 0;
    const from = first[r] ?? 0;
    const o = random.uniform() * ((first[r + 1] ?? 0) - from - 1) | 0;
    const k = from + o + (from + o >= j ? 1 : 0);
    const factor2 = factors2[r] ?? 1;
    const now = z[j] ?? 0;
    const partner = z[k] ?? 0;
    const ratio = (weight[j] ?? 1) / (weight[k] ?? 1);
    const whole = ratio * now + partner;
    const bottom = ties === void 0 ? least / factor2 : 0;
    const top = ties === void 0 ? most / factor2 : Infinity;
    const low = Math.max(lower[j] ?? 0, bottom, (whole - Math.min(upper[k] ?? 0, top)) / ratio);
    const high = Math.min(upper[j] ?? 0, top, (whole - Math.max(lower[k] ?? 0, bottom)) / ratio);
    if (!(high - low > 1e-9 * high)) continue;
    const before = random.uniform();
    let tried = TRIES;
    let begun = 0;
    values[0] = now;
    let evenly = true;
    if (ties !== void 0) {
      const count = Math.round(high - low) + 1;
      if (count <= ALL) {
        tried = count;
        begun = 1;
        for (let t2 = 1; t2 <= tried; t2++) values[t2] = low + t2 - 1;
      } else for (let t2 = 1; t2 <= tried; t2++) values[t2] = low + Math.floor((t2 - before) * count / TRIES);
    } else {
      const otherLow = whole - ratio * high;
      const otherHigh = whole - ratio * low;
      if (high < EVEN * low && otherHigh < EVEN * otherLow) {
        const step = (high - low) / TRIES;
        for (let t2 = 1; t2 <= TRIES; t2++) values[t2] = low + (t2 - before) * step;
      } else {
        evenly = false;
        const reach = Math.log(high / low);
        const otherReach = Math.log(otherHigh / otherLow);
        for (let t2 = 0; t2 <= TRIES; t2++) {
          const u = t2 === 0 ? 0 : random.uniform();
          const drawn = t2 % 2 === 1 ? low * Math.exp(u * reach) : (whole - otherLow * Math.exp(u * otherReach)) / ratio;
          const value2 = t2 === 0 ? now : Math.max(low, Math.min(high, drawn));
          values[t2] = value2;
          chances[t2] = 1 / (value2 * reach) + ratio / ((whole - ratio * value2) * otherReach);
        }
      }
    }
    let mass = 0;
    if (begun === 1) chances[0] = 0;
    for (let t2 = begun; t2 <= tried; t2++) {
      const value2 = values[t2] ?? 0;
      const other2 = whole - ratio * value2;
      const one = (chance[entryOf(factor2 * value2, shift, base)] ?? 0) / value2;
      const two = (chance[entryOf(factor2 * other2, shift, base)] ?? 0) / other2;
      const both = ties === void 0 ? one * two : ties.chance(j, r, value2, Number(value2 === now) + Number(value2 === partner), scale * one) * ties.chance(k, r, other2, Number(other2 === now) + Number(other2 === partner), scale * two);
      mass += chances[t2] = evenly ? both : both / (chances[t2] ?? 1);
    }
    if (!(mass > 0)) continue;
    let pick = random.uniform() * mass;
    let t = 0;
    while (t < tried && (pick -= chances[t] ?? 0) > 0) t++;
    if (t === 0) continue;
    const value = values[t] ?? 0;
    const other = whole - ratio * value;
    z[j] = value;
    z[k] = other;
    if (ties === void 0) continue;
    ties.move(r, now, -1);
    ties.move(r, partner, -1);
    ties.move(r, value, 1);
    ties.move(r, other, 1);
  }
}

// src/core/stats/quantiles/units.ts
var Units = class {
  constructor(active, rows, { unit, together, whole }, moments, scratch) {
    this.scratch = scratch;
    this.unit = unit;
    this.whole = whole;
    const entries = rows.start[rows.length] ?? 0;
    const unitsOf = (e) => Math.max(1, Math.round((rows.count[e] ?? 0) / together));
    let n = 0;
    for (let e = 0; e < entries; e++) n += unitsOf(e);
    this.length = n;
    this.z = numbersIn(scratch, n);
    this.weight = numbersIn(scratch, n);
    this.rest = numbersIn(scratch, n).fill(0);
    this.lower = numbersIn(scratch, n);
    this.upper = numbersIn(scratch, n);
    this.bucket = integersIn(scratch, n);
    this.first = integersIn(scratch, rows.length + 1);
    this.first[0] = 0;
    this.row = integersIn(scratch, n);
    const turns = integersIn(scratch, n);
    const shifts = localShifts(moments, rows);
    const buckets = active.index.length;
    let drawn = 0;
    let j = 0;
    for (let r = 0; r < rows.length; r++) {
      for (let e = rows.start[r] ?? 0; e < (rows.start[r + 1] ?? 0); e++) {
        const a = rows.bucket[e] ?? 0;
        const number2 = unitsOf(e);
        for (const to = j + number2; j < to; j++) {
          this.lower[j] = unit + (active.lower[a] ?? 0);
          this.upper[j] = unit + (active.upper[a] ?? Infinity);
          this.weight[j] = (rows.count[e] ?? 0) / number2;
          this.bucket[j] = a;
          this.row[j] = r;
        }
      }
      this.first[r + 1] = j;
      const from = this.first[r] ?? 0;
      const draws = j - from === 2 ? 1 : j - from === 1 ? 0 : j - from;
      for (let i = 0; i < draws; i++) turns[drawn++] = from + i;
      const sum = rows.sum[r] ?? 0;
      const rounded = Math.fround(sum);
      if (j === from + 1) this.rest[from] = (sum - rounded) / (this.weight[from] ?? 1);
      this.fill(
        from,
        j,
        rounded + (rows.size[r] ?? 0) * unit,
        moments,
        shifts.subarray(r * buckets, (r + 1) * buckets)
      );
    }
    this.turns = turns.subarray(0, drawn);
  }
  scratch;
  length;
  unit;
  whole;
  /** Values, `unit` added. */
  z;
  /** Observations that each stands for. */
  weight;
  /** What rounding took from those that are known exactly. */
  rest;
  /** Bounds of each one's bucket, `unit` added: of whole numbers the outermost ones. */
  lower;
  upper;
  bucket;
  /** First of each row, and their number. */
  first;
  /** Row of each. */
  row;
  /** Those that a sweep draws anew, in turn: of two in a row only the first, of more each. */
  turns;
  /** Those of a bucket. */
  membersOf(a) {
    const { bucket, length } = this;
    const members = integersIn(this.scratch, length);
    let n = 0;
    for (let j = 0; j < length; j++) if (bucket[j] === a) members[n++] = j;
    return members.subarray(0, n);
  }
  /** The buckets' means, moved to the sum by what their variances leave and their bounds let them. */
  fill(from, to, sum, { mean: mean2, variance }, shifts) {
    const { z, weight, lower, upper, bucket, whole, unit } = this;
    let left = sum;
    let spread = 0;
    for (let j = from; j < to; j++) {
      left -= (weight[j] ?? 0) * (unit + (mean2[bucket[j] ?? 0] ?? 0) + (shifts[bucket[j] ?? 0] ?? 0));
      spread += (weight[j] ?? 0) * (variance[bucket[j] ?? 0] ?? 0);
    }
    const share = left / spread;
    left = sum;
    let room = 0;
    let open = 0;
    for (let j = from; j < to; j++) {
      const a = bucket[j] ?? 0;
      const value = unit + (mean2[a] ?? 0) + (shifts[a] ?? 0) + share * (variance[a] ?? 0);
      z[j] = Math.max(lower[j] ?? 0, Math.min(upper[j] ?? 0, value));
      left -= (weight[j] ?? 0) * (z[j] ?? 0);
    }
    const end = left > 0 ? upper : lower;
    for (let j = from; j < to; j++) {
      const own = (end[j] ?? 0) - (z[j] ?? 0);
      if (own < Infinity) room += (weight[j] ?? 0) * own;
      else open += weight[j] ?? 0;
    }
    const part = open > 0 || room === 0 ? 0 : left / room;
    let over = 0.5;
    for (let j = from; j < to; j++) {
      const own = (end[j] ?? 0) - (z[j] ?? 0);
      z[j] = (z[j] ?? 0) + (own < Infinity ? part * own : left / open);
      if (!whole) continue;
      const exact = (z[j] ?? 0) - unit + over;
      z[j] = unit + Math.floor(exact + 1e-9);
      over = exact - Math.floor(exact + 1e-9);
    }
  }
};

// src/core/stats/quantiles/sampler.ts
var MAX_UNITS = 4e3;
var MIN_SAMPLED_ROWS = 60;
var TOGETHER = 3;
var MIN_ROWS = 8;
var UNIT = 3e-3;
var BURNED = 10;
var MIN_KEPT = 10;
var MAX_KEPT = 24;
var SETTLED = 5e-3;
var SMOOTHING = [3, 4, 5, 6, 7, 8];
var MAX_EFFECT = 4;
var SWEEPS_A_STEP = 8;
var MODEL_REACH = 0.015;
var MODEL_REACH_FROM_ZERO = 0.022;
var MAX_GROWTH = 6;
var DENSE_NS = 4e8;
var MAX_SPARSE = 2.5;
function modelReach(sharing, span) {
  const growth = Math.min(MAX_GROWTH, Math.sqrt(sharing)) * Math.max(1, Math.min(MAX_SPARSE, Math.sqrt(span / DENSE_NS)));
  return (lower, upper) => upper === Infinity ? 0 : growth * (lower === 0 ? MODEL_REACH_FROM_ZERO : MODEL_REACH) * (upper - lower);
}
function meanOf(cells, length) {
  let sum = 0;
  for (let i = 0; i < length; i++) sum += cells[i] ?? 0;
  return sum / length;
}
function* sampleQuantiles(active, allRows, unit, qs, scratch) {
  const random = new SeededRandom(Number(globalThis.process.env.SEED ?? 1));
  const buckets = active.index.length;
  const effect = designEffect(allRows, buckets);
  const whole = wholeNumbers(active, allRows);
  let together = effect < TOGETHER || whole ? 1 : effect;
  let observations2 = 0;
  for (let r = 0; r < allRows.length; r++) observations2 += allRows.size[r] ?? 0;
  const most = Math.max(MIN_SAMPLED_ROWS, Math.floor(allRows.length * MAX_UNITS * together / observations2));
  const rows = most < allRows.length ? sampleRows(allRows, most) : allRows;
  let left = 0;
  for (let r = 0; r < rows.length; r++) left += rows.size[r] ?? 0;
  if (left / together > 2 * MAX_UNITS) together = left / 2 / MAX_UNITS;
  const exact = whole && together === 1;
  const bounds = exact ? wholeBounds(active) : active;
  const units = new Units(
    bounds,
    rows,
    { unit: unit * UNIT, together, whole: exact },
    bucketMoments(bounds, allRows),
    scratch
  );
  const { z, length, weight } = units;
  let least = Infinity;
  let largest = -Infinity;
  for (let j = 0; j < length; j++) {
    least = Math.min(least, z[j] ?? 0);
    largest = Math.max(largest, z[j] ?? 0);
  }
  if (largest - least <= 1e-6 * largest) {
    const mean2 = (r) => (rows.sum[r] ?? 0) / (rows.size[r] ?? 1);
    const means = Float64Array.from({ length: rows.length }, (_, r) => mean2(r)).sort();
    const [low = NaN, value = NaN, high = NaN] = [0, rows.length >> 1, rows.length - 1].map((r) => means[r]);
    return qs.map(() => ({ value, low, high }));
  }
  const share = length / left;
  const density = new Density(scratch);
  const level = new Level(units, scratch);
  const y = numbersIn(scratch, length);
  for (let j = 0; j < length; j++) y[j] = Math.log(z[j] ?? 1);
  const known = numbersIn(scratch, length);
  known.set(y);
  density.fit(y, weight, share);
  const ties = exact ? new Ties(units) : void 0;
  const n = active.total.reduce((sum, total) => sum + total, 0);
  const ordered = /* @__PURE__ */ new Map();
  const places = qs.map((q) => {
    const rank = quantileRank(n, q);
    const at = Math.floor(rank + 1e-9);
    const low = placeOf(active, at);
    const between = Math.max(0, rank - at);
    const high = between > 1e-9 ? placeOf(active, at + 1) : low;
    for (const { bucket } of [low, high])
      if (!ordered.has(bucket)) ordered.set(bucket, new OrderedBucket(units, bucket, scratch));
    return { low, high, draws: new Draws(between) };
  });
  for (let sweep = 0; sweep < BURNED + MAX_KEPT; sweep++) {
    if (sweep % SWEEPS_A_STEP === SWEEPS_A_STEP - 1) yield;
    if (sweep > 0) {
      redraw(units, density, level.factor, random, ties);
      if (level.spread > 0) level.refine(density, deviation(y), random);
    } else if (allRows.length >= MIN_ROWS) level.begin(density, deviation(y), random);
    if (sweep >= BURNED) {
      for (const bucket of ordered.values()) bucket.read();
      for (const { low, high, draws } of places) {
        const value = ordered.get(low.bucket)?.valueAt(low.at) ?? NaN;
        draws.add(value, low === high ? value : ordered.get(high.bucket)?.valueAt(high.at) ?? NaN);
      }
      if (sweep === BURNED + MAX_KEPT - 1) break;
      if (sweep >= BURNED + MIN_KEPT - 1 && places.every(({ draws }) => draws.settled(SETTLED))) break;
    }
    relate(y, units, known, level.logs);
    density.fit(y, weight, share);
    if (SMOOTHING.includes(sweep)) density.smooth(Math.min(1, Math.sqrt(rows.length / length)));
  }
  const reach = ENDS_OF_90 * Math.sqrt(Math.min(MAX_EFFECT, effect));
  const sharing = length / rows.length;
  const reachOfModel = modelReach(sharing, meanOf(rows.span, rows.length));
  return places.map(({ low, high, draws }) => {
    if (ordered.get(low.bucket)?.length === 0 || ordered.get(high.bucket)?.length === 0) return void 0;
    const a = low.bucket;
    return draws.result(reach, reachOfModel(active.lower[a] ?? 0, active.upper[a] ?? Infinity), exact);
  });
}
function wholeNumbers(active, rows) {
  for (let r = 0; r < rows.length; r++) if (!Number.isInteger(rows.sum[r])) return false;
  return rows.length >= MIN_ROWS && (active.lower[0] ?? -1) >= 0 && rows.count.every(Number.isInteger) && active.upper.every((upper) => upper >= 1);
}
function wholeBounds(active) {
  return {
    ...active,
    lower: active.lower.map((lower, a) => active.index[a] === 0 ? lower : Math.floor(lower) + 1),
    upper: active.upper.map(Math.floor)
  };
}
function relate(y, { z, first }, known, logs) {
  for (let r = 0; r + 1 < first.length; r++) {
    const log = logs[r] ?? 0;
    const from = first[r] ?? 0;
    const to = first[r + 1] ?? 0;
    if (to === from + 1) y[from] = (known[from] ?? 0) - log;
    else for (let j = from; j < to; j++) y[j] = Math.log(z[j] ?? 1) - log;
  }
}
function deviation(y) {
  let mean2 = 0;
  let squares = 0;
  for (let j = 0; j < y.length; j++) mean2 += y[j] ?? 0;
  mean2 /= y.length;
  for (let j = 0; j < y.length; j++) squares += ((y[j] ?? 0) - mean2) ** 2;
  return Math.sqrt(squares / y.length);
}

// src/core/stats/quantiles/sparse.ts
function sparseOf({ uppers, times, counts, sums }, scratch) {
  const totals = numbersIn(scratch, counts.length).fill(0);
  const start = integersIn(scratch, sums.length + 1).fill(0);
  for (const [b, cells] of counts.entries()) totals[b] = countEntries(cells, start);
  for (let i = 0; i < sums.length; i++) start[i + 1] = (start[i + 1] ?? 0) + (start[i] ?? 0);
  const entries = start[sums.length] ?? 0;
  const bucket = integersIn(scratch, entries);
  const count = numbersIn(scratch, entries);
  const next = integersIn(scratch, sums.length);
  next.set(start.subarray(0, sums.length));
  for (const [b, cells] of counts.entries()) placeEntries(cells, b, next, bucket, count);
  return { uppers, times, sums, entries: { start, bucket, count, totals } };
}
function countEntries(cells, start) {
  let total = 0;
  for (let i = 0; i < cells.length; i++) {
    const cell = cells[i] ?? 0;
    total += cell;
    start[i + 1] = (start[i + 1] ?? 0) + Number(cell !== 0);
  }
  return total;
}
function placeEntries(cells, b, next, bucket, count) {
  for (let i = 0; i < cells.length; i++) {
    const cell = cells[i] ?? 0;
    if (cell === 0) continue;
    const entry = next[i] ?? 0;
    bucket[entry] = b;
    count[entry] = cell;
    next[i] = entry + 1;
  }
}

// src/core/stats/steps.ts
function complete(steps) {
  for (; ; ) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

// src/core/stats/quantiles/index.ts
var MAX_BUCKETS = 64;
var REACH_WITHOUT_SUMS = 0.3;
function estimateQuantiles(sequence2, qs) {
  return complete(estimateSteps(sparseOf(sequence2), qs));
}
function* estimateSteps(sequence2, qs, scratch) {
  const { totals } = sequence2.entries;
  const negative = hasNegativeValues(sequence2);
  const active = activeBuckets(sequence2.uppers, totals, negative);
  const described = qs.map((q) => hardEstimate(sequence2, negative, q));
  yield;
  if (active.index.length > MAX_BUCKETS)
    return described.map((hard) => ({
      ...hard,
      note: `linear: ${active.index.length} populated buckets, and finer estimates take at most ${MAX_BUCKETS}`
    }));
  if (active.index.length === 0) return described;
  active.lower[0] = Math.max(active.lower[0] ?? 0, certainLowerBound(sequence2, active.index[0] ?? 0, negative));
  if ((active.lower[0] ?? 0) < 0)
    return described.map((hard) => ({ ...withEstimate(hard, aroundLinear(hard)), note: "linear: values below 0" }));
  const rows = yield* usableRows(sequence2, active, scratch);
  const sampled = rows.length > 0 ? yield* sampleQuantiles(active, rows, firstBound(sequence2.uppers), qs, scratch) : [];
  return described.map((hard, i) => withEstimate(hard, sampled[i] ?? aroundLinear(hard)));
}
function hardEstimate(sequence2, negative, q) {
  const { uppers } = sequence2;
  const { totals } = sequence2.entries;
  const linear = linearQuantile(uppers, totals, q);
  const buckets = rankBuckets(totals, q);
  if (buckets === void 0)
    return { value: NaN, lower: NaN, upper: NaN, interval: [NaN, NaN], linear, extrapolated: false };
  const lower = certainLowerBound(sequence2, buckets.low, negative);
  const upper = uppers[buckets.high] ?? Infinity;
  return {
    value: Math.max(lower, Math.min(upper, linear)),
    lower,
    upper,
    interval: [lower, upper],
    linear,
    extrapolated: buckets.high === uppers.length - 1
  };
}
function aroundLinear({ value, lower, upper }) {
  const room = REACH_WITHOUT_SUMS * (Number.isFinite(upper - lower) ? upper - lower : Math.abs(value));
  const known = Number.isNaN(value) ? lower : value;
  return { value: known, low: known - room, high: known + room };
}
function withEstimate(hard, { value, low, high }) {
  const inside = (x) => Math.max(hard.lower, Math.min(hard.upper, x));
  return { ...hard, value: inside(value), interval: [inside(low), inside(high)] };
}

// test/support/quantile-errors.ts
var SCORED = [0.5, 0.9, 0.95, 0.99];
function relativeError(estimate, truth) {
  if (estimate === truth) return 0;
  const error = Math.abs(estimate - truth) / Math.abs(truth);
  return Number.isFinite(error) ? error : 1;
}
function mean(values2) {
  return values2.reduce((sum, value) => sum + value, 0) / values2.length;
}
function errors(sequence2, observations2) {
  return estimateQuantiles(sequence2, SCORED).map(
    ({ value }, i) => relativeError(value, trueQuantile(observations2, SCORED[i] ?? NaN))
  );
}

// ../../tmp/est/h/shp.ts
var { sequence, observations } = series((random, _, { shared }) => 3 * Math.exp(0.3 * shared + 0.05 * normal(random)), { layout: "coarse", perInterval: 50, intervals: 300 });
console.log("shared", mean(errors(sequence, observations)).toFixed(3));
var by = /* @__PURE__ */ new Map();
for (const seed of [1]) for (const s of simulations(+(process.env.N ?? 240), seed, 3e4)) {
  if (s.shape === "signed") continue;
  const { sequence: sequence2, observations: observations2 } = simulate(s);
  const e = errors(sequence2, observations2);
  by.set(s.shape, [...by.get(s.shape) ?? [], ...e]);
}
console.log(mean([...by.values()].flat()).toFixed(4), [...by].map(([k, v]) => `${k} ${mean(v).toFixed(4)}`).join(" "));
