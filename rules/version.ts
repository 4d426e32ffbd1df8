/** The version of this package; a test keeps it equal to `package.json`. */
export const version = "0.0.0";
