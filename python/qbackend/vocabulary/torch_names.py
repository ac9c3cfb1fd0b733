# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Public names of PyTorch that a configuration can mention.

A list and no more, so that a misspelt name is an error where it is written.
Names of 1.13 and of 2.x together; what a certain PyTorch lacks shows up in
`to_torch`.
"""

from typing import Dict

NAMES: Dict[str, str] = {
    "torch.nn": """
        AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d
        AdaptiveLogSoftmaxWithLoss AdaptiveMaxPool1d AdaptiveMaxPool2d
        AdaptiveMaxPool3d AlphaDropout AvgPool1d AvgPool2d AvgPool3d BCELoss
        BCEWithLogitsLoss BatchNorm1d BatchNorm2d BatchNorm3d Bilinear CELU
        CTCLoss ChannelShuffle CircularPad1d CircularPad2d CircularPad3d
        ConstantPad1d ConstantPad2d ConstantPad3d Container Conv1d Conv2d
        Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d
        CosineEmbeddingLoss CosineSimilarity CrossEntropyLoss CrossMapLRN2d
        DataParallel Dropout Dropout1d Dropout2d Dropout3d ELU Embedding
        EmbeddingBag FeatureAlphaDropout Flatten Fold FractionalMaxPool2d
        FractionalMaxPool3d GELU GLU GRU GRUCell GaussianNLLLoss GroupNorm
        Hardshrink Hardsigmoid Hardswish Hardtanh HingeEmbeddingLoss
        HuberLoss Identity InstanceNorm1d InstanceNorm2d InstanceNorm3d
        KLDivLoss L1Loss LPPool1d LPPool2d LPPool3d LSTM LSTMCell LayerNorm
        LazyBatchNorm1d LazyBatchNorm2d LazyBatchNorm3d LazyConv1d
        LazyConv2d LazyConv3d LazyConvTranspose1d LazyConvTranspose2d
        LazyConvTranspose3d LazyInstanceNorm1d LazyInstanceNorm2d
        LazyInstanceNorm3d LazyLinear LeakyReLU Linear LocalResponseNorm
        LogSigmoid LogSoftmax MSELoss MarginRankingLoss MaxPool1d MaxPool2d
        MaxPool3d MaxUnpool1d MaxUnpool2d MaxUnpool3d Mish Module ModuleDict
        ModuleList MultiLabelMarginLoss MultiLabelSoftMarginLoss
        MultiMarginLoss MultiheadAttention NLLLoss NLLLoss2d PReLU
        PairwiseDistance ParameterDict ParameterList PixelShuffle
        PixelUnshuffle PoissonNLLLoss RMSNorm RNN RNNBase RNNCell
        RNNCellBase RReLU ReLU ReLU6 ReflectionPad1d ReflectionPad2d
        ReflectionPad3d ReplicationPad1d ReplicationPad2d ReplicationPad3d
        SELU Sequential SiLU Sigmoid SmoothL1Loss SoftMarginLoss Softmax
        Softmax2d Softmin Softplus Softshrink Softsign SyncBatchNorm Tanh
        Tanhshrink Threshold Transformer TransformerDecoder
        TransformerDecoderLayer TransformerEncoder TransformerEncoderLayer
        TripletMarginLoss TripletMarginWithDistanceLoss Unflatten Unfold
        Upsample UpsamplingBilinear2d UpsamplingNearest2d ZeroPad1d
        ZeroPad2d ZeroPad3d
    """,
    "torch.nn.functional": """
        adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d
        adaptive_max_pool1d adaptive_max_pool1d_with_indices
        adaptive_max_pool2d adaptive_max_pool2d_with_indices
        adaptive_max_pool3d adaptive_max_pool3d_with_indices affine_grid
        alpha_dropout avg_pool1d avg_pool2d avg_pool3d batch_norm bilinear
        binary_cross_entropy binary_cross_entropy_with_logits celu celu_
        channel_shuffle conv1d conv2d conv3d conv_tbc conv_transpose1d
        conv_transpose2d conv_transpose3d cosine_embedding_loss
        cosine_similarity cross_entropy ctc_loss dropout dropout1d dropout2d
        dropout3d elu elu_ embedding embedding_bag feature_alpha_dropout
        fold fractional_max_pool2d fractional_max_pool2d_with_indices
        fractional_max_pool3d fractional_max_pool3d_with_indices
        gaussian_nll_loss gelu glu grid_sample group_norm gumbel_softmax
        hardshrink hardsigmoid hardswish hardtanh hardtanh_
        hinge_embedding_loss huber_loss instance_norm interpolate kl_div
        l1_loss layer_norm leaky_relu leaky_relu_ linear local_response_norm
        log_softmax logsigmoid lp_pool1d lp_pool2d lp_pool3d
        margin_ranking_loss max_pool1d max_pool1d_with_indices max_pool2d
        max_pool2d_with_indices max_pool3d max_pool3d_with_indices
        max_unpool1d max_unpool2d max_unpool3d mish mse_loss
        multi_head_attention_forward multi_margin_loss
        multilabel_margin_loss multilabel_soft_margin_loss
        native_channel_shuffle nll_loss normalize one_hot pad
        pairwise_distance pdist pixel_shuffle pixel_unshuffle
        poisson_nll_loss prelu relu relu6 relu_ rms_norm rrelu rrelu_
        scaled_dot_product_attention selu selu_ sigmoid silu smooth_l1_loss
        soft_margin_loss softmax softmin softplus softshrink softsign tanh
        tanhshrink threshold threshold_ triplet_margin_loss
        triplet_margin_with_distance_loss unfold upsample upsample_bilinear
        upsample_nearest
    """,
    "torch.ao.nn.intrinsic": """
        BNReLU2d BNReLU3d ConvAdd2d ConvAddReLU2d ConvBn1d ConvBn2d ConvBn3d
        ConvBnReLU1d ConvBnReLU2d ConvBnReLU3d ConvReLU1d ConvReLU2d
        ConvReLU3d LinearBn1d LinearLeakyReLU LinearReLU LinearTanh
    """,
    "torch.ao.nn.intrinsic.qat": """
        ConvBn1d ConvBn2d ConvBn3d ConvBnReLU1d ConvBnReLU2d ConvBnReLU3d
        ConvReLU1d ConvReLU2d ConvReLU3d LinearBn1d LinearReLU
    """,
    "torch.ao.nn.qat": """
        Conv1d Conv2d Conv3d Embedding EmbeddingBag Linear
    """,
    "torch.ao.nn.qat.dynamic": """
        Linear
    """,
    "torch.ao.nn.quantizable": """
        LSTM LSTMCell MultiheadAttention
    """,
    "torch.ao.nn.quantized.reference": """
        Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d
        Embedding EmbeddingBag GRU GRUCell LSTM LSTMCell Linear RNNCell
    """,
    "torch": """
        abs abs_ absolute acos acos_ acosh acosh_ adaptive_avg_pool1d
        adaptive_max_pool1d add addbmm addcdiv addcmul addmm addmv addmv_
        addr adjoint affine_grid_generator alias_copy align_tensors all
        allclose alpha_dropout alpha_dropout_ amax amin aminmax angle any
        arange arccos arccos_ arccosh arccosh_ arcsin arcsin_ arcsinh
        arcsinh_ arctan arctan2 arctan_ arctanh arctanh_ argmax argmin
        argsort argwhere as_strided as_strided_ as_strided_copy
        as_strided_scatter as_tensor asarray asin asin_ asinh asinh_ atan
        atan2 atan_ atanh atanh_ atleast_1d atleast_2d atleast_3d avg_pool1d
        baddbmm bartlett_window batch_norm batch_norm_backward_elemt
        batch_norm_backward_reduce batch_norm_elemt batch_norm_gather_stats
        batch_norm_gather_stats_with_counts batch_norm_stats
        batch_norm_update_stats bernoulli bilinear
        binary_cross_entropy_with_logits bincount binomial bitwise_and
        bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift
        bitwise_xor blackman_window block_diag bmm broadcast_shapes
        broadcast_tensors broadcast_to bucketize can_cast cartesian_prod cat
        ccol_indices_copy cdist ceil ceil_ celu celu_ chain_matmul
        channel_shuffle cholesky cholesky_inverse cholesky_solve
        choose_qparams_optimized chunk clamp clamp_ clamp_max clamp_max_
        clamp_min clamp_min_ clip clip_ clone col_indices_copy column_stack
        combinations complex concat concatenate conj conj_physical
        conj_physical_ constant_pad_nd conv1d conv2d conv3d conv_tbc
        conv_transpose1d conv_transpose2d conv_transpose3d convolution
        copysign corrcoef cos cos_ cosh cosh_ cosine_embedding_loss
        cosine_similarity count_nonzero cov cross crow_indices_copy ctc_loss
        cummax cummin cumprod cumsum cumulative_trapezoid deg2rad deg2rad_
        dequantize det detach detach_ detach_copy diag diag_embed diagflat
        diagonal diagonal_copy diagonal_scatter diff digamma dist div divide
        dot dropout dropout_ dsmm dsplit dstack einsum embedding
        embedding_bag embedding_renorm_ empty empty_like empty_quantized
        empty_strided eq equal erf erf_ erfc erfc_ erfinv exp exp2 exp2_
        exp_ expand_copy expm1 expm1_ eye fake_quantize_per_channel_affine
        fake_quantize_per_tensor_affine fbgemm_linear_fp16_weight
        fbgemm_linear_fp16_weight_fp32_activation fbgemm_linear_int8_weight
        fbgemm_linear_int8_weight_fp32_activation
        fbgemm_linear_quantize_weight fbgemm_pack_gemm_matrix_fp16
        fbgemm_pack_quantized_matrix feature_alpha_dropout
        feature_alpha_dropout_ feature_dropout feature_dropout_ fill fill_
        fix fix_ flatten flip fliplr flipud float_power floor floor_
        floor_divide fmax fmin fmod frac frac_ frexp frobenius_norm
        from_file from_numpy frombuffer full full_like
        fused_moving_avg_obs_fake_quant gather gcd gcd_ ge geqrf ger
        get_device gradient greater greater_equal grid_sampler
        grid_sampler_2d grid_sampler_3d group_norm gru gru_cell gt
        hamming_window hann_window hardshrink heaviside hinge_embedding_loss
        histc histogram histogramdd hsmm hsplit hspmm hstack hypot i0 i0_
        igamma igammac imag index_add index_copy index_fill index_put
        index_put_ index_reduce index_select indices_copy inner
        instance_norm int_repr inverse is_complex is_conj is_distributed
        is_floating_point is_inference is_neg is_nonzero is_same_size
        is_signed is_vulkan_available isclose isfinite isin isinf isnan
        isneginf isposinf isreal istft kaiser_window kl_div kron kthvalue
        layer_norm lcm lcm_ ldexp ldexp_ le lerp less less_equal lgamma
        linspace log log10 log10_ log1p log1p_ log2 log2_ log_ log_softmax
        logaddexp logaddexp2 logcumsumexp logdet logical_and logical_not
        logical_or logical_xor logit logit_ logspace logsumexp lstm
        lstm_cell lt lu lu_solve lu_unpack margin_ranking_loss masked_fill
        masked_scatter masked_select matmul matrix_exp matrix_power max
        max_pool1d max_pool1d_with_indices max_pool2d max_pool3d maximum
        mean median meshgrid min minimum mkldnn_adaptive_avg_pool2d
        mkldnn_convolution mkldnn_linear_backward_weights mkldnn_max_pool2d
        mkldnn_max_pool3d mm mode moveaxis movedim msort mul multinomial
        multiply mv mvlgamma nan_to_num nan_to_num_ nanmean nanmedian
        nanquantile nansum narrow narrow_copy native_batch_norm
        native_channel_shuffle native_dropout native_group_norm
        native_layer_norm native_norm ne neg neg_ negative negative_
        nextafter nonzero norm norm_except_dim normal not_equal nuclear_norm
        numel ones ones_like orgqr ormqr outer pairwise_distance pca_lowrank
        pdist permute permute_copy pinverse pixel_shuffle pixel_unshuffle
        poisson poisson_nll_loss polar polygamma positive pow prelu prod
        promote_types put q_per_channel_axis q_per_channel_scales
        q_per_channel_zero_points q_scale q_zero_point qr quantile
        quantize_per_channel quantize_per_tensor quantize_per_tensor_dynamic
        quantized_batch_norm quantized_gru_cell quantized_lstm_cell
        quantized_max_pool1d quantized_max_pool2d quantized_rnn_relu_cell
        quantized_rnn_tanh_cell rad2deg rad2deg_ rand rand_like randint
        randint_like randn randn_like randperm range ravel real reciprocal
        reciprocal_ relu relu_ remainder renorm repeat_interleave reshape
        resize_as_ resize_as_sparse_ resolve_conj resolve_neg result_type
        rnn_relu rnn_relu_cell rnn_tanh rnn_tanh_cell roll rot90 round
        round_ row_indices_copy row_stack rrelu rrelu_ rsqrt rsqrt_ rsub
        saddmm scalar_tensor scatter scatter_add scatter_reduce searchsorted
        segment_reduce select select_copy select_scatter selu selu_ sgn
        sigmoid sigmoid_ sign signbit sin sin_ sinc sinc_ sinh sinh_
        slice_copy slice_scatter slogdet smm softmax sort sparse_bsc_tensor
        sparse_bsr_tensor sparse_compressed_tensor sparse_coo_tensor
        sparse_csc_tensor sparse_csr_tensor split split_copy
        split_with_sizes split_with_sizes_copy spmm sqrt sqrt_ square
        square_ squeeze squeeze_copy sspaddmm stack std std_mean stft sub
        subtract sum svd svd_lowrank swapaxes swapdims symeig t t_copy take
        take_along_dim tan tan_ tanh tanh_ tensor tensor_split tensordot
        threshold threshold_ tile topk trace transpose transpose_copy
        trapezoid trapz triangular_solve tril tril_indices
        triplet_margin_loss triu triu_indices true_divide trunc trunc_
        unbind unbind_copy unflatten unfold_copy unique unique_consecutive
        unsafe_chunk unsafe_split unsafe_split_with_sizes unsqueeze
        unsqueeze_copy values_copy vander var var_mean vdot view_as_complex
        view_as_complex_copy view_as_real view_as_real_copy view_copy vsplit
        vstack where xlogy xlogy_ zero_ zeros zeros_like
    """,
}
