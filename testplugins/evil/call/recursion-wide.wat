;; The same with 400 values alive in every frame: the native stack must last as long as depth does.
(module
  (func $down (param $n i32) (result i32)
    local.get $n i32.load offset=0 local.get $n i32.load offset=4 local.get $n i32.load offset=8 local.get $n i32.load offset=12
    local.get $n i32.load offset=16 local.get $n i32.load offset=20 local.get $n i32.load offset=24 local.get $n i32.load offset=28
    local.get $n i32.load offset=32 local.get $n i32.load offset=36 local.get $n i32.load offset=40 local.get $n i32.load offset=44
    local.get $n i32.load offset=48 local.get $n i32.load offset=52 local.get $n i32.load offset=56 local.get $n i32.load offset=60
    local.get $n i32.load offset=64 local.get $n i32.load offset=68 local.get $n i32.load offset=72 local.get $n i32.load offset=76
    local.get $n i32.load offset=80 local.get $n i32.load offset=84 local.get $n i32.load offset=88 local.get $n i32.load offset=92
    local.get $n i32.load offset=96 local.get $n i32.load offset=100 local.get $n i32.load offset=104 local.get $n i32.load offset=108
    local.get $n i32.load offset=112 local.get $n i32.load offset=116 local.get $n i32.load offset=120 local.get $n i32.load offset=124
    local.get $n i32.load offset=128 local.get $n i32.load offset=132 local.get $n i32.load offset=136 local.get $n i32.load offset=140
    local.get $n i32.load offset=144 local.get $n i32.load offset=148 local.get $n i32.load offset=152 local.get $n i32.load offset=156
    local.get $n i32.load offset=160 local.get $n i32.load offset=164 local.get $n i32.load offset=168 local.get $n i32.load offset=172
    local.get $n i32.load offset=176 local.get $n i32.load offset=180 local.get $n i32.load offset=184 local.get $n i32.load offset=188
    local.get $n i32.load offset=192 local.get $n i32.load offset=196 local.get $n i32.load offset=200 local.get $n i32.load offset=204
    local.get $n i32.load offset=208 local.get $n i32.load offset=212 local.get $n i32.load offset=216 local.get $n i32.load offset=220
    local.get $n i32.load offset=224 local.get $n i32.load offset=228 local.get $n i32.load offset=232 local.get $n i32.load offset=236
    local.get $n i32.load offset=240 local.get $n i32.load offset=244 local.get $n i32.load offset=248 local.get $n i32.load offset=252
    local.get $n i32.load offset=256 local.get $n i32.load offset=260 local.get $n i32.load offset=264 local.get $n i32.load offset=268
    local.get $n i32.load offset=272 local.get $n i32.load offset=276 local.get $n i32.load offset=280 local.get $n i32.load offset=284
    local.get $n i32.load offset=288 local.get $n i32.load offset=292 local.get $n i32.load offset=296 local.get $n i32.load offset=300
    local.get $n i32.load offset=304 local.get $n i32.load offset=308 local.get $n i32.load offset=312 local.get $n i32.load offset=316
    local.get $n i32.load offset=320 local.get $n i32.load offset=324 local.get $n i32.load offset=328 local.get $n i32.load offset=332
    local.get $n i32.load offset=336 local.get $n i32.load offset=340 local.get $n i32.load offset=344 local.get $n i32.load offset=348
    local.get $n i32.load offset=352 local.get $n i32.load offset=356 local.get $n i32.load offset=360 local.get $n i32.load offset=364
    local.get $n i32.load offset=368 local.get $n i32.load offset=372 local.get $n i32.load offset=376 local.get $n i32.load offset=380
    local.get $n i32.load offset=384 local.get $n i32.load offset=388 local.get $n i32.load offset=392 local.get $n i32.load offset=396
    local.get $n i32.load offset=400 local.get $n i32.load offset=404 local.get $n i32.load offset=408 local.get $n i32.load offset=412
    local.get $n i32.load offset=416 local.get $n i32.load offset=420 local.get $n i32.load offset=424 local.get $n i32.load offset=428
    local.get $n i32.load offset=432 local.get $n i32.load offset=436 local.get $n i32.load offset=440 local.get $n i32.load offset=444
    local.get $n i32.load offset=448 local.get $n i32.load offset=452 local.get $n i32.load offset=456 local.get $n i32.load offset=460
    local.get $n i32.load offset=464 local.get $n i32.load offset=468 local.get $n i32.load offset=472 local.get $n i32.load offset=476
    local.get $n i32.load offset=480 local.get $n i32.load offset=484 local.get $n i32.load offset=488 local.get $n i32.load offset=492
    local.get $n i32.load offset=496 local.get $n i32.load offset=500 local.get $n i32.load offset=504 local.get $n i32.load offset=508
    local.get $n i32.load offset=512 local.get $n i32.load offset=516 local.get $n i32.load offset=520 local.get $n i32.load offset=524
    local.get $n i32.load offset=528 local.get $n i32.load offset=532 local.get $n i32.load offset=536 local.get $n i32.load offset=540
    local.get $n i32.load offset=544 local.get $n i32.load offset=548 local.get $n i32.load offset=552 local.get $n i32.load offset=556
    local.get $n i32.load offset=560 local.get $n i32.load offset=564 local.get $n i32.load offset=568 local.get $n i32.load offset=572
    local.get $n i32.load offset=576 local.get $n i32.load offset=580 local.get $n i32.load offset=584 local.get $n i32.load offset=588
    local.get $n i32.load offset=592 local.get $n i32.load offset=596 local.get $n i32.load offset=600 local.get $n i32.load offset=604
    local.get $n i32.load offset=608 local.get $n i32.load offset=612 local.get $n i32.load offset=616 local.get $n i32.load offset=620
    local.get $n i32.load offset=624 local.get $n i32.load offset=628 local.get $n i32.load offset=632 local.get $n i32.load offset=636
    local.get $n i32.load offset=640 local.get $n i32.load offset=644 local.get $n i32.load offset=648 local.get $n i32.load offset=652
    local.get $n i32.load offset=656 local.get $n i32.load offset=660 local.get $n i32.load offset=664 local.get $n i32.load offset=668
    local.get $n i32.load offset=672 local.get $n i32.load offset=676 local.get $n i32.load offset=680 local.get $n i32.load offset=684
    local.get $n i32.load offset=688 local.get $n i32.load offset=692 local.get $n i32.load offset=696 local.get $n i32.load offset=700
    local.get $n i32.load offset=704 local.get $n i32.load offset=708 local.get $n i32.load offset=712 local.get $n i32.load offset=716
    local.get $n i32.load offset=720 local.get $n i32.load offset=724 local.get $n i32.load offset=728 local.get $n i32.load offset=732
    local.get $n i32.load offset=736 local.get $n i32.load offset=740 local.get $n i32.load offset=744 local.get $n i32.load offset=748
    local.get $n i32.load offset=752 local.get $n i32.load offset=756 local.get $n i32.load offset=760 local.get $n i32.load offset=764
    local.get $n i32.load offset=768 local.get $n i32.load offset=772 local.get $n i32.load offset=776 local.get $n i32.load offset=780
    local.get $n i32.load offset=784 local.get $n i32.load offset=788 local.get $n i32.load offset=792 local.get $n i32.load offset=796
    local.get $n i32.load offset=800 local.get $n i32.load offset=804 local.get $n i32.load offset=808 local.get $n i32.load offset=812
    local.get $n i32.load offset=816 local.get $n i32.load offset=820 local.get $n i32.load offset=824 local.get $n i32.load offset=828
    local.get $n i32.load offset=832 local.get $n i32.load offset=836 local.get $n i32.load offset=840 local.get $n i32.load offset=844
    local.get $n i32.load offset=848 local.get $n i32.load offset=852 local.get $n i32.load offset=856 local.get $n i32.load offset=860
    local.get $n i32.load offset=864 local.get $n i32.load offset=868 local.get $n i32.load offset=872 local.get $n i32.load offset=876
    local.get $n i32.load offset=880 local.get $n i32.load offset=884 local.get $n i32.load offset=888 local.get $n i32.load offset=892
    local.get $n i32.load offset=896 local.get $n i32.load offset=900 local.get $n i32.load offset=904 local.get $n i32.load offset=908
    local.get $n i32.load offset=912 local.get $n i32.load offset=916 local.get $n i32.load offset=920 local.get $n i32.load offset=924
    local.get $n i32.load offset=928 local.get $n i32.load offset=932 local.get $n i32.load offset=936 local.get $n i32.load offset=940
    local.get $n i32.load offset=944 local.get $n i32.load offset=948 local.get $n i32.load offset=952 local.get $n i32.load offset=956
    local.get $n i32.load offset=960 local.get $n i32.load offset=964 local.get $n i32.load offset=968 local.get $n i32.load offset=972
    local.get $n i32.load offset=976 local.get $n i32.load offset=980 local.get $n i32.load offset=984 local.get $n i32.load offset=988
    local.get $n i32.load offset=992 local.get $n i32.load offset=996 local.get $n i32.load offset=1000 local.get $n i32.load offset=1004
    local.get $n i32.load offset=1008 local.get $n i32.load offset=1012 local.get $n i32.load offset=1016 local.get $n i32.load offset=1020
    local.get $n i32.load offset=1024 local.get $n i32.load offset=1028 local.get $n i32.load offset=1032 local.get $n i32.load offset=1036
    local.get $n i32.load offset=1040 local.get $n i32.load offset=1044 local.get $n i32.load offset=1048 local.get $n i32.load offset=1052
    local.get $n i32.load offset=1056 local.get $n i32.load offset=1060 local.get $n i32.load offset=1064 local.get $n i32.load offset=1068
    local.get $n i32.load offset=1072 local.get $n i32.load offset=1076 local.get $n i32.load offset=1080 local.get $n i32.load offset=1084
    local.get $n i32.load offset=1088 local.get $n i32.load offset=1092 local.get $n i32.load offset=1096 local.get $n i32.load offset=1100
    local.get $n i32.load offset=1104 local.get $n i32.load offset=1108 local.get $n i32.load offset=1112 local.get $n i32.load offset=1116
    local.get $n i32.load offset=1120 local.get $n i32.load offset=1124 local.get $n i32.load offset=1128 local.get $n i32.load offset=1132
    local.get $n i32.load offset=1136 local.get $n i32.load offset=1140 local.get $n i32.load offset=1144 local.get $n i32.load offset=1148
    local.get $n i32.load offset=1152 local.get $n i32.load offset=1156 local.get $n i32.load offset=1160 local.get $n i32.load offset=1164
    local.get $n i32.load offset=1168 local.get $n i32.load offset=1172 local.get $n i32.load offset=1176 local.get $n i32.load offset=1180
    local.get $n i32.load offset=1184 local.get $n i32.load offset=1188 local.get $n i32.load offset=1192 local.get $n i32.load offset=1196
    local.get $n i32.load offset=1200 local.get $n i32.load offset=1204 local.get $n i32.load offset=1208 local.get $n i32.load offset=1212
    local.get $n i32.load offset=1216 local.get $n i32.load offset=1220 local.get $n i32.load offset=1224 local.get $n i32.load offset=1228
    local.get $n i32.load offset=1232 local.get $n i32.load offset=1236 local.get $n i32.load offset=1240 local.get $n i32.load offset=1244
    local.get $n i32.load offset=1248 local.get $n i32.load offset=1252 local.get $n i32.load offset=1256 local.get $n i32.load offset=1260
    local.get $n i32.load offset=1264 local.get $n i32.load offset=1268 local.get $n i32.load offset=1272 local.get $n i32.load offset=1276
    local.get $n i32.load offset=1280 local.get $n i32.load offset=1284 local.get $n i32.load offset=1288 local.get $n i32.load offset=1292
    local.get $n i32.load offset=1296 local.get $n i32.load offset=1300 local.get $n i32.load offset=1304 local.get $n i32.load offset=1308
    local.get $n i32.load offset=1312 local.get $n i32.load offset=1316 local.get $n i32.load offset=1320 local.get $n i32.load offset=1324
    local.get $n i32.load offset=1328 local.get $n i32.load offset=1332 local.get $n i32.load offset=1336 local.get $n i32.load offset=1340
    local.get $n i32.load offset=1344 local.get $n i32.load offset=1348 local.get $n i32.load offset=1352 local.get $n i32.load offset=1356
    local.get $n i32.load offset=1360 local.get $n i32.load offset=1364 local.get $n i32.load offset=1368 local.get $n i32.load offset=1372
    local.get $n i32.load offset=1376 local.get $n i32.load offset=1380 local.get $n i32.load offset=1384 local.get $n i32.load offset=1388
    local.get $n i32.load offset=1392 local.get $n i32.load offset=1396 local.get $n i32.load offset=1400 local.get $n i32.load offset=1404
    local.get $n i32.load offset=1408 local.get $n i32.load offset=1412 local.get $n i32.load offset=1416 local.get $n i32.load offset=1420
    local.get $n i32.load offset=1424 local.get $n i32.load offset=1428 local.get $n i32.load offset=1432 local.get $n i32.load offset=1436
    local.get $n i32.load offset=1440 local.get $n i32.load offset=1444 local.get $n i32.load offset=1448 local.get $n i32.load offset=1452
    local.get $n i32.load offset=1456 local.get $n i32.load offset=1460 local.get $n i32.load offset=1464 local.get $n i32.load offset=1468
    local.get $n i32.load offset=1472 local.get $n i32.load offset=1476 local.get $n i32.load offset=1480 local.get $n i32.load offset=1484
    local.get $n i32.load offset=1488 local.get $n i32.load offset=1492 local.get $n i32.load offset=1496 local.get $n i32.load offset=1500
    local.get $n i32.load offset=1504 local.get $n i32.load offset=1508 local.get $n i32.load offset=1512 local.get $n i32.load offset=1516
    local.get $n i32.load offset=1520 local.get $n i32.load offset=1524 local.get $n i32.load offset=1528 local.get $n i32.load offset=1532
    local.get $n i32.load offset=1536 local.get $n i32.load offset=1540 local.get $n i32.load offset=1544 local.get $n i32.load offset=1548
    local.get $n i32.load offset=1552 local.get $n i32.load offset=1556 local.get $n i32.load offset=1560 local.get $n i32.load offset=1564
    local.get $n i32.load offset=1568 local.get $n i32.load offset=1572 local.get $n i32.load offset=1576 local.get $n i32.load offset=1580
    local.get $n i32.load offset=1584 local.get $n i32.load offset=1588 local.get $n i32.load offset=1592 local.get $n i32.load offset=1596
    local.get $n i32.const 1 i32.add call $down
    i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add
    i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add
    i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add
    i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add
    i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add
    i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add
    i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add
    i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add
    i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add
    i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add
    i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add
    i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add
    i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add
    i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add
    i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add
    i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add
    i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add
    i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add
    i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add
    i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add
  )
  (memory (export "memory") 2)
  (func (export "gw_abi_1") (result i32) (i32.const 0))
  (func (export "gw_buffer") (param $size i32) (result i32) (i32.const 0x10000))
  (func (export "gw_route") (param $size i32) (result i32)
    (if (i32.and (i32.load16_u (i32.const 0x10006)) (i32.const 256))
      (then (return (i32.const 0)))) ;; the self-test
    (call $down (i32.const 0))))
