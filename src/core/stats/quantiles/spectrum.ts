/**
 * Eigenvalues of a symmetric positive semidefinite matrix, and the square of a vector's part along each eigenvector.
 */
export interface Spectrum {
  readonly values: Float64Array;
  readonly squares: Float64Array;
}

const MAX_SWEEPS = 60;

/**
 * Householder's reduction to tridiagonal form, then implicit QL (Golub & Van Loan 2013, 8.3). Of the eigenvectors only
 * what they make of the vector is kept, which is all that sums over the spectrum need.
 * @param matrix row-major, n × n; its lower triangle is read
 */
export function spectrumOf(matrix: Float64Array, vector: Float64Array): Spectrum {
  const n = vector.length;
  const parts = vector.slice();
  const diagonal = new Float64Array(n);
  const beside = new Float64Array(n);
  tridiagonalise(matrix.slice(), parts, diagonal, beside);
  diagonalise(diagonal, beside, parts);
  let largest = 0;
  for (const value of diagonal) largest = Math.max(largest, value);
  // Below this an eigenvalue is rounding.
  const least = n * Number.EPSILON * largest;
  return { values: diagonal.map((value) => (value > least ? value : 0)), squares: parts.map((part) => part * part) };
}

/** Overwrites `matrix`; turns `vector` along. */
function tridiagonalise(
  matrix: Float64Array,
  vector: Float64Array,
  diagonal: Float64Array,
  beside: Float64Array,
): void {
  const n = vector.length;
  const w = new Float64Array(n);
  const p = new Float64Array(n);
  for (let k = 0; k < n; k++) {
    diagonal[k] = matrix[k * n + k] ?? 0;
    if (k === n - 1) break;
    let norm = 0;
    for (let i = k + 1; i < n; i++) {
      const x = matrix[i * n + k] ?? 0;
      w[i] = x;
      norm += x * x;
    }
    const lead = w[k + 1] ?? 0;
    // Nothing but the first entry: there is nothing to reflect.
    if (norm - lead * lead <= 0) {
      beside[k] = lead;
      continue;
    }
    const alpha = lead > 0 ? -Math.sqrt(norm) : Math.sqrt(norm);
    beside[k] = alpha;
    w[k + 1] = lead - alpha;
    const scale = 1 / (norm - alpha * lead);
    let along = 0;
    let turn = 0;
    for (let i = k + 1; i < n; i++) {
      let sum = 0;
      for (let j = k + 1; j <= i; j++) sum += (matrix[i * n + j] ?? 0) * (w[j] ?? 0);
      for (let j = i + 1; j < n; j++) sum += (matrix[j * n + i] ?? 0) * (w[j] ?? 0);
      p[i] = scale * sum;
      along += (p[i] ?? 0) * (w[i] ?? 0);
      turn += (vector[i] ?? 0) * (w[i] ?? 0);
    }
    const half = (scale * along) / 2;
    turn *= scale;
    for (let i = k + 1; i < n; i++) {
      const wi = w[i] ?? 0;
      vector[i] = (vector[i] ?? 0) - turn * wi;
      const qi = (p[i] = (p[i] ?? 0) - half * wi);
      for (let j = k + 1; j <= i; j++)
        matrix[i * n + j] = (matrix[i * n + j] ?? 0) - wi * (p[j] ?? 0) - qi * (w[j] ?? 0);
    }
  }
}

/** Eigenvalues in place of the diagonal; turns `vector` along. */
function diagonalise(diagonal: Float64Array, beside: Float64Array, vector: Float64Array): void {
  const n = diagonal.length;
  for (let l = 0; l < n; l++) {
    for (let sweep = 0; sweep < MAX_SWEEPS; sweep++) {
      let m = l;
      while (
        m < n - 1 &&
        Math.abs(beside[m] ?? 0) > Number.EPSILON * (Math.abs(diagonal[m] ?? 0) + Math.abs(diagonal[m + 1] ?? 0))
      )
        m++;
      if (m === l) break;
      const gap = ((diagonal[l + 1] ?? 0) - (diagonal[l] ?? 0)) / (2 * (beside[l] ?? 0));
      let g =
        (diagonal[m] ?? 0) - (diagonal[l] ?? 0) + (beside[l] ?? 0) / (gap + (gap < 0 ? -1 : 1) * Math.hypot(gap, 1));
      let s = 1;
      let c = 1;
      let p = 0;
      let i = m - 1;
      for (; i >= l; i--) {
        const f = s * (beside[i] ?? 0);
        const b = c * (beside[i] ?? 0);
        let r = Math.hypot(f, g);
        beside[i + 1] = r;
        if (r === 0) {
          diagonal[i + 1] = (diagonal[i + 1] ?? 0) - p;
          beside[m] = 0;
          break;
        }
        s = f / r;
        c = g / r;
        g = (diagonal[i + 1] ?? 0) - p;
        r = ((diagonal[i] ?? 0) - g) * s + 2 * c * b;
        p = s * r;
        diagonal[i + 1] = g + p;
        g = c * r - b;
        const above = vector[i + 1] ?? 0;
        const below = vector[i] ?? 0;
        vector[i + 1] = s * below + c * above;
        vector[i] = c * below - s * above;
      }
      if (i >= l) continue;
      diagonal[l] = (diagonal[l] ?? 0) - p;
      beside[l] = g;
      beside[m] = 0;
    }
  }
}
