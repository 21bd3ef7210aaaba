/** Of a symmetric positive definite matrix A = L·L' (row-major, n × n). */
export interface Factorised {
  /** L⁻¹, lower triangular: A⁻¹ = L⁻¹' · L⁻¹. */
  readonly root: Float64Array;
  readonly logdet: number;
}

/** Cholesky; overwrites `matrix`. */
export function factorise(matrix: Float64Array, n: number): Factorised {
  let logdet = 0;
  for (let j = 0; j < n; j++) {
    for (let k = 0; k <= j; k++) {
      let value = matrix[j * n + k] ?? 0;
      for (let m = 0; m < k; m++) value -= (matrix[j * n + m] ?? 0) * (matrix[k * n + m] ?? 0);
      matrix[j * n + k] = k === j ? Math.sqrt(Math.max(value, 1e-12)) : value / (matrix[k * n + k] ?? 1);
    }
    logdet += 2 * Math.log(matrix[j * n + j] ?? 1);
  }
  const root = new Float64Array(n * n);
  for (let j = 0; j < n; j++) {
    const diagonal = matrix[j * n + j] ?? 1;
    root[j * n + j] = 1 / diagonal;
    for (let k = 0; k < j; k++) {
      let value = 0;
      for (let m = k; m < j; m++) value -= (matrix[j * n + m] ?? 0) * (root[m * n + k] ?? 0);
      root[j * n + k] = value / diagonal;
    }
  }
  return { root, logdet };
}

/** Solves A·x = b for one symmetric positive definite A, of which the lower triangle is read; overwrites both. */
export function solveDense(matrix: Float64Array, x: Float64Array): void {
  const n = x.length;
  for (let j = 0; j < n; j++) {
    const row = j * n;
    for (let k = 0; k <= j; k++) {
      const other = k * n;
      let value = matrix[row + k] ?? 0;
      for (let m = 0; m < k; m++) value -= (matrix[row + m] ?? 0) * (matrix[other + m] ?? 0);
      matrix[row + k] = k === j ? Math.sqrt(Math.max(value, 1e-12)) : value / (matrix[other + k] ?? 1);
    }
    let value = x[j] ?? 0;
    for (let m = 0; m < j; m++) value -= (matrix[row + m] ?? 0) * (x[m] ?? 0);
    x[j] = value / (matrix[row + j] ?? 1);
  }
  for (let j = n - 1; j >= 0; j--) {
    const value = (x[j] ?? 0) / (matrix[j * n + j] ?? 1);
    x[j] = value;
    for (let m = 0; m < j; m++) x[m] = (x[m] ?? 0) - (matrix[j * n + m] ?? 0) * value;
  }
}

/** A⁻¹ · x. */
export function applyInverse({ root }: Factorised, x: Float64Array): Float64Array {
  const n = x.length;
  const out = new Float64Array(n);
  for (let j = 0; j < n; j++) {
    let value = 0;
    for (let k = 0; k <= j; k++) value += (root[j * n + k] ?? 0) * (x[k] ?? 0);
    for (let k = 0; k <= j; k++) out[k] = (out[k] ?? 0) + (root[j * n + k] ?? 0) * value;
  }
  return out;
}

/** A⁻¹. */
export function inverseOf({ root }: Factorised, n: number): Float64Array {
  const out = new Float64Array(n * n);
  for (let j = 0; j < n; j++) {
    for (let a = 0; a <= j; a++) {
      for (let b = 0; b <= j; b++)
        out[a * n + b] = (out[a * n + b] ?? 0) + (root[j * n + a] ?? 0) * (root[j * n + b] ?? 0);
    }
  }
  return out;
}

/**
 * Solves a symmetric positive definite band system in place. Row j of `matrix` (band + 1 wide) holds the diagonal, then
 * the entries to its left; `x` holds the right-hand side and then the solution.
 *
 * @param first of each row the first column that is not 0: nothing to the left of it ever fills
 */
export function solveBanded(matrix: Float64Array, x: Float64Array, band: number, first: Int32Array): void {
  const n = x.length;
  // Column m of row j is at j · band + j − m + j.
  const w = band + 2;
  for (let j = 0; j < n; j++) {
    const row = j * w;
    const from = first[j] ?? 0;
    let own = x[j] ?? 0;
    for (let k = from; k < j; k++) {
      const other = k * w;
      let value = matrix[row - k] ?? 0;
      for (let m = Math.max(from, first[k] ?? 0); m < k; m++)
        value -= (matrix[row - m] ?? 0) * (matrix[other - m] ?? 0);
      value /= matrix[other - k] ?? 1;
      matrix[row - k] = value;
      own -= value * (x[k] ?? 0);
    }
    let square = matrix[row - j] ?? 0;
    for (let m = from; m < j; m++) square -= (matrix[row - m] ?? 0) * (matrix[row - m] ?? 0);
    const diagonal = Math.sqrt(Math.max(square, 1e-12));
    matrix[row - j] = diagonal;
    x[j] = own / diagonal;
  }
  for (let j = n - 1; j >= 0; j--) {
    const row = j * w;
    const value = (x[j] ?? 0) / (matrix[row - j] ?? 1);
    x[j] = value;
    for (let k = first[j] ?? 0; k < j; k++) x[k] = (x[k] ?? 0) - (matrix[row - k] ?? 0) * value;
  }
}
