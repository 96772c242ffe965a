// Black-box specs on a real broker: see the tests beside this file. Nothing is exported.
export {};
