/** A posting list with more rows gets an index of its own; one with fewer is filtered row by row. */
export const splitThreshold = 128
