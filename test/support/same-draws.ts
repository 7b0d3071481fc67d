import fc from "fast-check";

/**
 * `npm test` draws the same values at each run: a commit that passes here passes in CI too, and a failure is that of the change. Other values
 * are drawn by `npm run test:soak`, which prints the seed of what fails.
 */
fc.configureGlobal({ seed: 1, ...fc.readConfigureGlobal() });
