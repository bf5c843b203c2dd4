const pattern = /^(?:::ffff:)?127\.0\.0\.1$|^::1$/;

/** Returns whether an address is a loopback address; its requests are not rate-limited. [rule V6] */
export const isLoopback = (address: string): boolean => pattern.test(address);
